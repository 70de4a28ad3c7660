"""A report that no benchmark made: every part with rows of every kind, as tables read them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

_GRAPHICS = {"cpu_ms": 0.48712, "read_ms": 2.46, "gpu_ms": 1.2854, "gpu_pushed_ms": 1.67549}
_TIMES = {
    f"{name}_{way}{which}_ms": ms * slower * more
    for name, ms in (("step", 2.341), ("decode", 7.05), ("both", 9.462))
    for way, slower in (("together", 1.0), ("alone", 3.0))
    for which, more in (("", 1.0), ("_mean", 1.25))
}
_PLAYED = {
    f"{name}{which}_ms": ms * more
    for name, ms in (
        ("play", 0.1484),
        ("dragged", 0.581),
        ("scrub", 0.1361),
        ("step", 0.193),
        ("decode", 0.049),
    )
    for which, more in (("", 1.0), ("_mean", 1.5))
}
_WAYS = ("network of held poses", "springs about the network", "springs fitted to the action itself")


def _run(seed: int, **changed: Any) -> dict[str, Any]:
    return {
        "steps": 9000 + 562 * seed,
        "seen": 0.0211 * (seed + 1),
        "unseen": 0.0072 + 0.03 * seed,
        "kinetic_unseen": 1.0 - 0.011 * seed,
        "most_elastic": 0.99 + 140.0 * seed,
        "above_at": None,
        "away_mm": [0.0459 * (seed + 1), 112.4 + seed],
        "moves_mm": [0.0142, 2.34e-7],
        "slow": 0.2,
        "fast": 0.0771,
        **changed,
    }


def _ablations() -> dict[str, Any]:
    rows = [
        {"name": "solved", "runs": [_run(0), _run(1), _run(2)]},
        {"name": "alone", "runs": [_run(0, above_at=543), _run(1, above_at=9, most_elastic=None)]},
        {"name": "one seed", "runs": [_run(1)]},
    ]
    return {scene: {"minutes": 1.0, "rows": rows} for scene in ("cantilever", "cloth", "tuft")}


def _character(name: str, goal: dict[str, float] | None) -> dict[str, Any]:
    regions = {"all": 3182, "belly": 235, "head, hands and feet": 1482}

    def action(title: str, factor: float, excluded: int) -> dict[str, Any]:
        mm = {
            way: {region: factor * (k + 2) / (n + 1) for k, region in enumerate(regions)}
            for n, way in enumerate(("skinning", *_WAYS))
        }
        return {"action": title, "frames": 99, "excluded": excluded, "mm": mm}

    return {
        "name": name,
        "vertices": 13182,
        "regions": regions,
        "soft": ["belly"],
        "actions": {"fitted": action("Trot", 8.04, 0), "unseen": action("Shake", 3.21, 7)},
        "poses": {
            "solved": 2400,
            "left_out": 14,
            "learned": 2147,
            "tested": 120,
            "mm": {"skinning": {"all": 22.34}, "network of held poses": {"all": 2.651}},
        },
        "training": {"frames": 89},
        "one_spring": {
            "one spring for all, about the network": [1067.0, 38.5],
            "one spring for all, about the bones": [812.0, 21.0],
        },
        "goal": goal,
    }


def _spring_times(name: str, preset: str) -> dict[str, Any]:
    parts = ("skinning", "network", "springs", "frame", "total")
    return {
        "name": name,
        "preset": preset,
        "vertices": 13588,
        "bones": 60,
        "on_each": 2.345,
        "ms": {part: {"median": 0.5 + k / 3, "least": 0.4 + k / 3} for k, part in enumerate(parts)},
        "solver_ms": 1234.56,
        "tetrahedra": 8021,
        "simulated_vertices": 2310,
        "poses": 2400,
        "pose_ms": 4321.0,
        "training_seconds": 333.3,
    }


def _curve(last: float) -> dict[str, list[float]]:
    epochs = [last * k / 10 for k in range(1, 11)]
    return {"epochs": epochs, "seen": [0.02 / (k + 1) for k in range(10)], "unseen": [0.03] * 10}


def _unseen(part: str, kind: str, ratios: tuple[float, float]) -> dict[str, Any]:
    return {
        "part": part,
        "kind": kind,
        "fabric": {"stretch": 2000.0, "bending": 1e-5},
        "linear": 0.00512,
        "ratios": {"Loop": 1.021, "balanced": ratios[0], "paper": ratios[1]},
        "free": 0.0345,
        "spread": 0.1,
    }


def _contact(example: str, *, turning: bool = False, touched: int = 40, **more: Any) -> dict[str, Any]:
    return {
        "example": example,
        "turning": turning,
        "width": 1000,
        "handles": [8, 0, 1],
        "triangles": 1000,
        "takes": 6,
        "shapes": {"internal": 300, "external": 14486},
        "errors": {"all": 0.0432, "touched": 0.0829, "without": 0.447, "dents": 0.188},
        "floors": {"all": 0.0111, "touched": 0.0222},
        "frames": {"all": 250, "touched": touched},
        **more,
    }


def _contact_times(example: str, bases: dict[str, int], handles: list[int]) -> dict[str, Any]:
    medians = {"linear": 7.81, "ours": 13.2, "full": 29.4}
    ms = {name: {"median": each, "mean": 1.25 * each} for name, each in medians.items()}
    about = {"cubature": 141, "width": 200, "bases": bases, "handles": handles, "ms": ms}
    judged = _contact(
        example, turning=example == "JELLY_WITH_COMB", touched=0 if example == "ACCORDION" else 40
    )
    return {**judged, "triangles": 12440, "unsettled": 0.004, **about}


def _jacobian(example: str, moves: float) -> dict[str, Any]:
    ways = ("equation 3", "equation 4", "U")
    by_way = {name: {way: 1.19 * k + 0.004 for k, way in enumerate(ways)} for name in ("from_full_mm", "ms")}
    whole = {way: 0.17 * k for k, way in enumerate(ways)}
    return {"example": example, "turning": False, "moves_mm": moves, "from_whole_mm": whole, **by_way}


_EXPORTED = {
    f"{side}_{what}{which}_us": us * slower * more
    for side, slower in (("numpy", 1.0), ("onnx", 0.75))
    for what, us in (("step", 31.27), ("shape", 12.04))
    for which, more in (("", 1.0), ("_mean", 1.25))
}
_NO_SHAPES = {name: None for name in _EXPORTED if "shape" in name}
REPORT: dict[str, Any] = {
    "cores": 2,
    "onnx": {
        "rows": [
            {
                "method": method,
                "example": example,
                "what": what,
                "vertices": vertices,
                "found": found,
                "steps": 10000,
                "over_numpy": 0.751,
                **_EXPORTED,
                **({} if what == "step" else _NO_SHAPES),
            }
            for method, example, what, vertices, found in (
                ("subspace_physics", "Ball & Sheet, shipped", "step", 1681, 32),
                ("quasistatic_springs", "Soft Character", "pose network", 2310, 1280),
            )
        ]
    },
    "workers": {
        "rows": [
            {
                "name": "Blender's cloth",
                "frames": 2400,
                "takes": 8,
                "one_fps": 19.24,
                "two_fps": 37.58,
                "ratio": 1.953,
                "ratios": [1.961, 1.953, 1.902],
                "overhead_s": 1.349,
            }
        ]
    },
    "accuracy": {
        "runs": [
            {
                "seed": seed,
                "rollout_error": 0.1764 + seed / 1000,
                "ridge_error": 0.4881,
                "mean_error": 1.0,
                "basis_error": 0.0424,
                "training": {"seconds": 361.0 + 90 * seed},
            }
            for seed in (0, 1, 2)
        ],
        "bases": 64,
        "rollout_error": 0.1774,
        "training_frames": 46000,
        "test_frames": 10000,
    },
    "limit": {"frames": 9998, "error": 0.0512},
    "boxes": {
        "bases": 64,
        "preset": "balanced",
        "rows": [
            {
                "box": box,
                "takes": "",
                "training_frames": frames,
                "test_frames": 11362,
                "runs": [
                    {
                        "seed": seed,
                        "rollout_error": 0.1411 + seed / 100,
                        "frame_mean": 0.1211 + seed / 100,
                        "frame_median": 0.1011 + seed / 100,
                        "training": {"seconds": 400.0 + 10 * seed},
                        "expected_error": {"rank_correlation": 0.81 + seed / 100, "ratio": 1.04},
                        "first": {"1": 0.0341 + seed / 1000, "4": 0.0611, "16": 0.1011},
                        "fast": {
                            "error": 0.1911 + seed / 100,
                            "first": {"1": 0.0361, "4": 0.0711, "16": 0.1211},
                        },
                    }
                    for seed in (0, 1, 2)
                ],
                "median": 0.1511,
                "mean": 0.1511,
                "limit": 0.0897,
                "ridge_error": 0.4519,
                "basis_error": 0.0389,
                "linear": {"error": 0.5411, "first": {"1": 0.0351, "4": 0.0811, "16": 0.4011}},
            }
            for box, frames in (("A", 14000), ("C", 46000))
        ],
    },
    "scenes": {
        "bases": 64,
        "preset": "balanced",
        "rows": [
            {
                "scene": scene,
                "vertices": 1681,
                "training_frames": 9600,
                "test_frames": 1198,
                "runs": [
                    {"seed": seed, "rollout_error": 0.1311 + seed / 100, "frame_median": 0.0911 + seed / 100}
                    for seed in (0, 1, 2)
                ],
                "median": 0.1411,
                "mean": 0.1411,
                "ridge_error": 0.4519,
                "basis_error": 0.0389,
                "step_mb": 0.512,
                "step_ms": 0.251,
                "simulation_ms": 20.12,
                "paper_simulation_ms": simulation,
                "paper_step_ms": step,
            }
            for scene, simulation, step in (("Flag", 91.7, 0.039), ("Soft Body", None, None))
        ],
    },
    "baselines": {
        "bases": 64,
        "preset": "balanced",
        "steps": 8000,
        "boxes": [
            {
                "box": box,
                "training_frames": 14000,
                "test_frames": 10764,
                "rows": [
                    {
                        "key": key,
                        "name": name,
                        "rate": rate,
                        "weights": 37792,
                        "step_us": 48.51,
                        "stepped_by": stepped_by,
                        "error": {"median": 0.2211, "mean": 0.2301},
                        "runs": [
                            {
                                "seed": seed,
                                "seconds": 170.0 + 7 * seed,
                                "error": 0.2011 + seed / 50,
                                "mean": 0.1711 + seed / 100,
                                "median": 0.1211 - seed / 100,
                                "course": [0.1, 0.2, 0.25 + seed / 50],
                                "history": [[4000, 0.4], [8000, 0.3]] if rate else [],
                            }
                            for seed in seeds
                        ],
                    }
                    for key, name, rate, stepped_by, seeds in (
                        ("ours", "this extension", 0.002, "Play", (0, 1, 2)),
                        ("gru", "GRU on eq. 1", 0.0005, "NumPy", (0, 1, 2)),
                        ("linear", "linear, from w_t", None, "Play", (0,)),
                    )
                ],
            }
            for box in ("B", "A")
        ],
        "sizes": [
            {"frames": frames, "errors": {"ours": error, "gru": 1.1 * error, "linear": 1.0641}}
            for frames, error in ((1000, 0.7011), (14000, 0.2011))
        ],
        "diagonal": {
            "A": {"off_diagonal": 0.0123, "diagonal": [0.9712, 0.9991]},
            "B": {"off_diagonal": 0.1641, "diagonal": [0.6512, 0.9991]},
        },
    },
    "excursion": {
        "runs": [
            {
                "counted": 2,
                "error_left": 0.7182,
                "error_never_left": 0.7251,
                "ratio": 0.9905,
                "error_from_truth": 0.7184,
                "largest_coordinate": 1.8999,
                "finite": finite,
                "per_return": [
                    {"left": 0.149, "never_left": 0.152, "from_truth": 0.148, "counted": True},
                    {"left": 0.2, "never_left": 0.21, "from_truth": 0.197, "counted": True},
                    {"left": 0.921, "never_left": 0.93, "from_truth": 0.915, "counted": False},
                ],
            }
            for finite in (True, False)
        ]
    },
    "table": {
        "rows": [
            {
                "scene": scene,
                "vertices": vertices,
                "training_frames": frames,
                "bases": 64,
                "step_us": 45.6,
                "decode_us": 103.4,
                "step_mb": 0.149,
                "decoder_mb": 1.96,
                "rollout_error": 0.2017,
                "ridge_error": 0.4881,
                "basis_error": 0.0424,
            }
            for scene, vertices, frames in (("Ball & Sheet", 1681, 46000), ("Soft Body", 642, 960))
        ],
        "ablations": [
            {
                "name": name,
                "changes": changes,
                "carried": [
                    {"rollout_error": error, "training": {"steps": 3000}}
                    for error in (0.4049, 0.3812, 0.4211)
                ],
                "not_carried": [
                    {"rollout_error": 0.9642 + 0.01 * seed, "training": {"steps": 1304 + 17 * seed}}
                    for seed in (0, 1, 2)
                ],
            }
            for name, changes in (("as it is", []), ("no window", ["window=3", "first_window=3"]))
        ],
    },
    "play": {
        name: {
            "vertices": 2601,
            "bases": 64,
            "models": [{"fast": fast} | _PLAYED for fast in (False, True)],
            "cloth_ms": 34.51,
            "cloth_mean_ms": 36.02,
            "written_ms": 0.0969,
            "written_mean_ms": 0.1011,
            "nothing_ms": 0.08,
            "nothing_mean_ms": 0.0802,
            "speedup": 232.4,
            "speedups": [195.2, 232.4, 248.9],
            "calibration_ms": 0.541,
        }
        for name in ("4.5", "5.2")
    },
    "graphics": {
        name: {
            "renderer": "llvmpipe",
            "backend": backend,
            "rows": [
                {"vertices": v, "bases": 64, "half_ms": 1.157, "preview_ms": 6.2764, "cpu_push_ms": 1.671}
                | _GRAPHICS
                for v in (2601, 25000)
            ],
            "objects": {"objects": 256, "vertices": 2503, "bases": 64, "gpu_one_by_one_ms": 353.204}
            | _GRAPHICS,
        }
        for name, backend in (("4.5", "OPENGL"), ("5.2", "VULKAN"))
    },
    "crowd": {
        name: [
            {
                "cores": cores,
                "models": [
                    {"objects": 256, "what": "bunny", "fast": True, "vertices": 2506} | _TIMES,
                    {"objects": 16, "what": "cape", "fast": False, "vertices": 1681} | _TIMES,
                ],
                "scenes": [
                    {"fast": fast, "together_longest_ms": 53.61, "alone_longest_ms": 721.8}
                    | {"together_ms": 40.2, "together_mean_ms": 43.8, "alone_ms": 30.1, "alone_mean_ms": 44.7}
                    for fast in (True, False)
                ],
                "written_ms": 22.48,
                "loading_s": 1.14,
                "calibration_ms": 0.5381,
            }
            for cores in (2, 1)
        ]
        for name in ("4.5", "5.2")
    },
    "exporting": {
        blender: [
            {
                "format": name,
                "vertices": 10000,
                "frames": 1000,
                "seconds": 3.21 * slower,
                "seconds_mean": 3.4 * slower,
                "blender_seconds": 2.12,
                "blender_seconds_mean": 2.2,
                "speed": 0.661 / slower,
            }
            for name, slower in (("Alembic", 1.0), ("USD", 1.5))
        ]
        for blender in ("4.5", "5.2")
    },
    "normals": {
        "rows": [
            {
                "scene": "Flag",
                "bases": bases,
                "regressed": 12.849,
                "recomputed": 7.94,
                "ms": {"regressed": 0.171, "recomputed": 0.814},
            }
            for bases in (64, 128)
        ]
    },
    "penetration": {
        "rows": {
            name: {
                "share": 0.00208,
                "mean_mm": 10.31,
                "deepest_mm": 43.44,
                "frames": 0.3459,
                "between": 0.00189,
                "frames_between": 0.336,
                "in_capsules": 0.0257,
            }
            for name in ("reference", "predicted", "pushed")
        },
        "frames": 1998,
        "rollout_error": 0.3301,
        "deep": 0.0,
        "wedged": 0.00012,
        "training_frames": 10400,
        "bases": 64,
        "training": {"seconds": 493.0},
    },
    "layers": {
        "preset": "balanced",
        "bases": 64,
        "frames": 376,
        "torn": 24,
        "training_frames": 3012,
        "kept": "Dance",
        "garments": [
            {
                "name": name,
                "vertices": 1024,
                "rollout_error": error,
                "ridge_error": 2.0 * error,
                "basis_error": 0.0512,
                "frame_mean": 0.8 * error,
                "frame_median": 0.7 * error,
                "spread_metres": 0.1034,
                "rms_metres": 0.1034 * error,
                "training": {"seconds": 312.5},
            }
            for name, error in (("Cape", 0.3123), ("Skirt", 0.2018))
        ],
        "behind": [
            {
                "name": "Cape",
                "below": "Skirt",
                **{
                    kind: {"share": share, "largest_share": 0.2, "mean_mm": 2.34, "deepest_mm": 12.61}
                    for kind, share in (("simulated", 0.0), ("predicted", 0.0723), ("layered", 0.00011))
                },
            }
        ],
        "ms": {
            kind: {"median": ms, "mean": 1.1 * ms}
            for kind, ms in (("simulated", 1.23), ("predicted", 4.56), ("layered", 9.87))
        },
        "simulation_ms": 312.4,
    },
    "search": {
        "rows": [
            {
                "seed": 0,
                "search": {
                    "processor_seconds": 51.84,
                    "kills": 11,
                    "given_up": 19,
                    "settings": "bases 16, width 1.97",
                    "validation_error": 0.0694,
                    "test_error": 0.1108,
                },
                "short": {"validation_error": 0.1625, "test_error": 0.1533},
                "long": {"validation_error": 0.0436, "test_error": 0.1066},
                "found": {"validation_error": 0.0312, "test_error": 0.0987},
            }
        ]
    },
    "solver": {
        "tetrahedra": 12042,
        "vertices": 2781,
        "frames_per_second": 3.456,
        "mean_frames_per_second": 3.21,
        "slowest_ms": 812.3,
        "iterations": 2.96,
        "not_converged": 0,
        "shell": {
            "blender_step_ms": 8.31,
            "blender_frame_ms": 41.6,
            "step_ms": 133.3,
            "frame_ms": 667.8,
            "iterations": 2.44,
            "steps_a_frame": 5,
        },
        "simkit": {
            "ms": {"simkit": 1598.4, "ours": 146.2},
            "iterations": {"simkit": 2, "ours": 2.4},
            "iteration_ms": {"simkit": 790.3, "ours": 77.0},
            "apart_m": 1.71e-6,
        },
    },
    "latent_ablations": _ablations(),
    "latent_peer": {
        "rows": [
            {"name": "the solver", "ms": 7.51, "gap_mm": 0.0, "error": 0.0},
            {"name": "our network", "ms": 134.0, "gap_mm": 2.1e-6, "error": 0.0421},
        ]
    },
    "latent_contact": {
        "rows": [
            {
                "name": name,
                "error": error,
                "share": 0.0184,
                "frames": 0.492,
                "mean_mm": 7.71,
                "deepest_mm": 32.5,
            }
            for name, error in (("the solver", None), ("with the contact term", 0.2071))
        ]
        + [{"name": "without", "share": 0.0, "frames": 0.0, "mean_mm": 0.0, "deepest_mm": 0.0}]
    },
    "latent_table": {
        "rows": [
            {
                "scene": scene,
                "numbers": 10800,
                "vertices": 3600,
                "latents": 16,
                "solver_ms": 139.94,
                "integration_ms": 0.0661,
                "decode_ms": 0.2234,
                "paper": paper,
            }
            for scene, paper in (("Hair", [268.0, 0.72]), ("Cantilever", None))
        ],
        "missing": [],
    },
    "latent_splits": {
        "rows": [
            {
                "scene": "Hair",
                "seen_frames": 0,
                "frames": 300,
                "seen": None,
                "unseen": 0.0271,
                "limit": 0.00016,
                "at_pins_mm": 4.7e-5,
                "kinetic_seen": None,
                "kinetic_unseen": 1.0,
                "most_elastic": 1.04,
                "above_at": None,
                "minutes": 9,
                "steps": 20000,
                "speeds": [
                    {"speed": "1.25", "error": 0.0901, "kinetic": 1.1, "most_elastic": 177.3},
                    {"speed": "drop", "error": 0.45, "kinetic": 0.951, "most_elastic": None},
                ],
            },
            {
                "scene": "Pinned cloth",
                "seen_frames": 750,
                "frames": 1500,
                "seen": 0.12,
                "unseen": 0.141,
                "limit": None,
                "at_pins_mm": 8.9e-5,
                "kinetic_seen": 1.08,
                "kinetic_unseen": 0.99,
                "most_elastic": 17.2,
                "above_at": 612,
                "minutes": 9,
                "steps": 18400,
                "speeds": [],
            },
        ],
        "missing": ["EARS_paper", "Ears"],
    },
    "spring_errors": {
        "characters": [
            _character("Soft Character", {"tried": 30, "spring": 0.8, "friction": 25.0, "edges": 0.0}),
            _character("Human", None),
        ],
        "missing": ["Soft Animal"],
    },
    "spring_times": {
        "rows": [_spring_times("Soft Character", "balanced"), _spring_times("Human", "final")],
        "missing": ["Fine"],
    },
    "hierarchy_times": {
        "rows": [
            {
                "masses": masses,
                "level_0": level_0,
                "ms": {
                    "cg": 212.3,
                    "admm": 41.26,
                    "local": 16.3,
                    "paper": 17.81,
                    "local networks": 11.2,
                    "paper networks": 12.9,
                    "another stiffness": 1.44,
                },
            }
            for masses, level_0 in ((3577, 247), (925, 70))
        ]
    },
    "hierarchy_table": {
        "pairs": 100000,
        "rows": [
            {
                "level": level,
                "linear": [0.00512, 0.00634],
                "curves": {"paper": _curve(5000.0), "local": _curve(2000.0)},
            }
            for level in (1, 2)
        ],
    },
    "hierarchy_errors": {
        "training": {"paper": {}, "balanced": {}},
        "rows": [
            _unseen("motion", "drape", (0.31, 0.62)),
            _unseen("stiffness", "flag", (0.71, 0.62)),
            _unseen("colliders", "curtain", (0.5, 0.8)),
            _unseen("stretched", "curtain", (1.5, 0.8)),
        ],
    },
    "hierarchy_structures": {
        "linear": [0.005, 0.004],
        "rows": [
            {
                "layers": layers,
                "width": 32,
                "curves": {form: [_curve(100.0), _curve(100.0)] for form in ("paper", "local")},
                "ms": {"paper": 1.234, "local": 2.345},
            }
            for layers in (2, 3)
        ],
    },
    "hierarchy_stretched": {
        "rows": [
            {
                "errors": {"linear": 0.01234, "butterfly": 0.0151, "local": 0.0102, "no limits": 0.2},
                "degrees": {
                    "simulated": 4.21,
                    "linear": 5.1,
                    "butterfly": 5.32,
                    "local": 4.4,
                    "no limits": 31.0,
                },
                "times": times,
            }
            for times in (4.12, 3.9)
        ]
    },
    "contact_accuracy": {
        "rows": [
            _contact("JELLY_WITH_CIRCLE", width=200),
            _contact("JELLY_WITH_CIRCLE"),
            _contact("JELLY_WITH_COMB", turning=True, width=3000),
            _contact("WORM", handles=[0, 3, 1]),
            _contact("ACCORDION", touched=0, width=0, handles=[16, 0, 2]),
            _contact("FINGER", between=True, handles=[12, 1, 4]),
        ]
    },
    "contact_decoupling": {
        "worm": {"shapes": 1000, "errors": {"own": 0.0461, "world": 0.206, "whole": 1.1749}},
        "circle": {
            "shapes": 14486,
            "errors": {"apart": 0.0719, "together": 0.81, "apart, plain": 0.12, "together, plain": 0.97},
        },
    },
    "contact_jacobians": {
        "rows": [_jacobian("JELLY_WITH_CIRCLE", 5.91), _jacobian("WORM", 70.04)],
    },
    "contact_pull": {
        "rows": [
            {"stiffness": 20.0, "peaks": {"linear": 8470.0, "ours": 1564.02, "full": 221.2}},
            {"stiffness": 1.0, "peaks": {"linear": 420.0, "ours": 300.0, "full": 200.0}},
        ],
        "agree": {"linear": 4.56, "ours": None},
    },
    "contact_times": {
        "rows": [
            _contact_times("JELLY_WITH_COMB", {"internal": 95, "external": 100}, [8, 0, 1]),
            _contact_times("ACCORDION", {"internal": 96}, [16, 0, 2]),
        ]
    },
    "contact_peer": {
        "rows": [
            {
                "name": name,
                "coordinates": 36,
                "elements": 149,
                "mm": {"all": 0.751, "touched": 1.54},
                "ms": {"all": 13.84, "touched": 19.3},
            }
            for name in ("ours, with corrections", "simkit, its cubature")
        ],
        "moved_mm": 100.2,
        "bent_mm": 19.03,
        "frames": {"all": 199, "touched": 42},
        "free": 115,
        "tetrahedra": 432,
        "full_ms": 22.83,
        "nearest_mm": 4.771,
    },
}


def _lacking() -> dict[str, Any]:
    """The same where something was not installed, or not there yet."""
    report = deepcopy(REPORT)
    report["solver"]["simkit"] = None
    report["contact_decoupling"]["worm"] = None
    report["latent_table"]["missing"] = ["EARS_paper"]
    report["spring_times"]["missing"] = report["latent_splits"]["missing"] = []
    return report | {"contact_peer": {"missing": ["simkit"]}, "contact_pull": {"missing": ["WORM"]}}


LACKING = _lacking()
