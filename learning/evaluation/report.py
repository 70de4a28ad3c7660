"""The report of an evaluation for people: one HTML file with everything in it."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from learning.evaluation import figures
from learning.evaluation.comparison import Comparison, motion
from neural_physics.arrays import Floats
from neural_physics.datasets.takes import Dataset
from neural_physics.evaluation.report_page import HEAD
from neural_physics.evaluation.rollouts import Window, rollout
from neural_physics.methods.interface import Method
from neural_physics.pictures.shapes import camera_for

PICTURES, MOST_BALLS = 5, 32  # in each of these no more are drawn
CSS = """
:root { color-scheme: light; }
body { font: 15px/1.55 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: #22262b;
  background: #eef0f2; margin: 0; }
main { max-width: 56rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.7rem; margin: 0; } h2 { font-size: 1.1rem; margin: 0 0 .3rem; }
p { margin: .3rem 0 .8rem; } .quiet { color: #667; }
section { background: #fff; border-radius: .6rem; padding: 1.1rem 1.4rem; margin-top: 1.1rem;
  box-shadow: 0 1px 3px #0001; }
.verdict { display: flex; gap: 1.6rem; align-items: center; }
.score { font-size: 2.9rem; font-weight: 650; color: #2f6fbd; line-height: 1; }
.scale { position: relative; height: .55rem; border-radius: .3rem; margin: 2.3rem 0 2.4rem;
  background: linear-gradient(90deg, #5b9e6d, #d9c46a 55%, #c46a5b); }
.scale span { position: absolute; top: -.25rem; width: 2px; height: 1.05rem; background: #22262b; }
.scale b { position: absolute; font-size: .78rem; font-weight: 500; transform: translateX(-50%);
  white-space: nowrap; }
.scale b.above { top: -1.75rem; } .scale b.below { top: .95rem; color: #667; }
table { border-collapse: collapse; width: 100%; } td, th { padding: .3rem .6rem; text-align: left; }
td:not(:first-child), th:not(:first-child) { text-align: right; font-variant-numeric: tabular-nums; }
tr + tr { border-top: 1px solid #eceef0; } th { color: #667; font-weight: 500; }
svg { width: 100%; height: auto; display: block; }
"""


def write_report(
    path: Path,
    method: Method,
    dataset: Dataset,
    typical: Window,
    *,
    comparison: Comparison,
    report: dict[str, Any],
) -> None:
    """`typical`: the rollout that is drawn. report: what report.json holds."""
    sections = [
        _verdict(report),
        _numbers(report),
        *_rollout(method, dataset, typical, comparison, report=report),
    ]
    title = f"{report['object']}: model evaluation"
    with path.open("x", encoding="utf-8") as file:  # a link there is not followed
        file.write(
            f"{HEAD}<meta name='viewport' content='width=device-width'><title>{escape(title)}</title>"
            f"<style>{CSS}</style><main><h1>{escape(title)}</h1>{_about(report)}{''.join(sections)}</main>"
            "</html>\n"
        )


def _about(report: dict[str, Any]) -> str:
    role = {"test": "never used in training", "validation": "used only to choose the best model"}
    seconds = report["frames"] / report["fps"]
    return (
        f"<p class='quiet'>{report['vertices']:,} vertices, {report['bases']} bases. "
        f"{report['rollouts']} rollouts, {seconds:,.0f} seconds in total, over "
        f"{escape(', '.join(report['takes']))} ({role.get(report['role'], report['role'])}). Each rollout "
        f"starts from the state of the reference and then sees only what the object reacts to."
        f"{''.join(f' {escape(note)}' for note in report['notes'])}</p>"
    )


def _verdict(report: dict[str, Any]) -> str:
    error, ridge = report["rollout_error"], report["ridge_error"]
    verdict = report["verdict"]
    marks = [("this model", error, "above"), ("average shape", 1.0, "below")]
    if ridge is not None:
        marks.append(("ridge regression", ridge, "below"))
    if report["basis_error"] is not None:
        marks.append(("best possible with these bases", report["basis_error"], "below"))
    return (
        f"<section><div class='verdict'><div class='score'>{error:.2f}</div>"
        f"<div><h2>{escape(verdict['sentence'])}.</h2>"
        f"<p>{escape(verdict['detail'])}.</p>"
        f"<p class='quiet'>The relative error: 0 is a perfect match, 1 is as bad as always showing the "
        f"average shape. Cloth is chaotic, so even two reference simulations differ. Half of the frames "
        f"are less than {report['frame_median']:.2f} off.</p>"
        f"</div></div>"
        f"<div class='scale'>{''.join(_mark(*mark) for mark in marks)}</div></section>"
    )


def _mark(name: str, error: float, side: str) -> str:
    place = 100 * min(max(error, 0.0), 1.25) / 1.25
    return (
        f"<span style='left:{place:.1f}%'></span>"
        f"<b class='{side}' style='left:clamp(4rem,{place:.1f}%,100% - 4rem)'>{name} {error:.2f}</b>"
    )


def _numbers(report: dict[str, Any]) -> str:
    reference, prediction, normals = report["reference"], report["prediction"], report["normals_degrees"]
    rows = [
        ("Distance from the reference (RMS)", _mm(report["rms_metres"]), ""),
        ("The same in nine frames of ten, at most", _mm(report["rms_metres_90"]), ""),
        ("Distance of the reference from the average shape", _mm(report["spread_metres"]), ""),
        ("Time per step, one thread", f"{report['step_us']:.0f} µs", ""),
        ("Time to decode the vertices, one thread", f"{report['decode_us']:.0f} µs", ""),
        ("Model file", f"{report['model_bytes'] / 1e6:.1f} MB", ""),
    ]
    if normals:
        rows.append(("Normals by regression, mean angular error", f"{normals['regressed']:.1f}°", ""))
        rows.append(
            ("Normals of the predicted shape, mean angular error", f"{normals['from_shape']:.1f}°", "")
        )
    pairs = [("kinetic", "Kinetic energy, mean, J/kg", 1.0), ("stretch", "Stretch, mean, 10⁻⁴", 1e4)]
    if "depth" in reference:
        pairs += [
            ("depth", "Deepest penetration per frame, mean, mm", 1e3),
            ("share", "Vertices inside, %", 1e2),
        ]
    rows += [
        (label, f"{scale * prediction[name]:.3g}", f"{scale * reference[name]:.3g}")
        for name, label, scale in pairs
    ]
    cells = "".join(f"<tr><td>{name}</td><td>{a}</td><td>{b}</td></tr>" for name, a, b in rows)
    return (
        "<section><h2>In numbers</h2><table><tr><th></th><th>this model</th><th>reference</th></tr>"
        f"{cells}</table></section>"
    )


def _mm(metres: float) -> str:
    return f"{1000 * metres:.1f} mm"


def _rollout(
    method: Method, dataset: Dataset, typical: Window, comparison: Comparison, *, report: dict[str, Any]
) -> list[str]:
    """The plots, most of them of one rollout: that of the middle error of all."""
    fps, start = dataset.info.fps, typical.predicted.start / dataset.info.fps
    truth, predicted = typical.truth(), rollout(method)(typical)
    reference, prediction = (motion(positions, typical, dataset) for positions in (truth, predicted))
    which = f"{typical.take.name}, starting at {start:.0f} s"
    sections = [
        _section(
            "Side by side",
            f"The rollout with the median error ({which}).",
            _pictures(method, dataset, typical, truth, predicted=predicted),
        ),
        _section(
            "Error over time",
            (
                "A stable model gives a level line: it neither drifts away nor depends on the exact "
                "initial state."
            ),
            figures.error_curve(comparison.errors, fps),
        ),
    ]
    if method.decoder is not None:
        paths = [method.decoder.project(positions) for positions in (truth, predicted)]
        sections.append(
            _section(
                "The three largest components of the motion",
                (
                    "Where the lines differ but look alike, the motion is of the right kind but timed "
                    "differently."
                ),
                figures.coefficients(paths[0], paths[1], fps, start),
            )
        )
    sections.append(
        _section(
            "Energy",
            "Too little kinetic energy looks stiff or damped, too much looks jittery.",
            figures.energies(reference, prediction, fps, start),
        )
    )
    if reference.penetration is not None:
        sections.append(
            _section(
                "Penetration",
                "Depth of the deepest vertex inside the objects it collides with.",
                figures.penetrations(reference, prediction, fps, start),
            )
        )
    return sections


def _pictures(
    method: Method,
    dataset: Dataset,
    typical: Window,
    truth: Floats,
    *,
    predicted: Floats,
) -> str:
    info, mesh = dataset.info, dataset.mesh
    frames = np.linspace(0, len(truth) - 1, PICTURES + 2).round().astype(int)[1:-1]
    y = np.asarray(typical.take.interaction[typical.predicted])[frames]
    slices = info.channels.slices()
    shown_balls = [*info.colliders.items()][:MOST_BALLS]
    balls = [[(row[slices[name]], radius) for name, radius in shown_balls] for row in y]
    extents = [truth[frames], predicted[frames]]
    extents += [np.stack([c - r, c + r])[None] for row in balls for c, r in row]
    shown = np.concatenate([e.reshape(-1, 3) for e in extents])
    camera = camera_for(info.gravity, method.mean_shape, shown)
    seconds = (typical.predicted.start + frames) / info.fps
    titles = [f"{second:.1f} s" for second in seconds]
    return figures.side_by_side(mesh, camera, truth[frames], predicted[frames], balls=balls, titles=titles)


def _section(title: str, words: str, picture: str) -> str:
    return f"<section><h2>{title}</h2><p class='quiet'>{escape(words)}</p>{picture}</section>"
