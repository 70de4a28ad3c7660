"""What contact corrections add to the command line: handles where the artist has put them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from ml_backend.methods.contact_corrections.placed_handles import PlacedHandle, placed_handle

OPTION = "--handle"  # of which there may be several


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the further arguments that `train` has for this method."""
    parser.add_argument(
        OPTION,
        action="append",
        default=[],
        type=placed_handle,
        metavar="NAME=X,Y,Z",
        help=(
            "contact corrections: position of a handle in metres, in the axes of the body at rest; "
            "repeat for each handle"
        ),
    )


def words(handles: Iterable[PlacedHandle]) -> list[str]:
    """What was given with the option, for another command line."""
    return [f"{OPTION}={handle.word}" for handle in handles]
