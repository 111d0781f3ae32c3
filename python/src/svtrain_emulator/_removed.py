"""Options of pytest that were removed, with what to use instead: a line for each."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

REMOVED_OPTIONS: Mapping[str, str] = {
    "--svtrain-coverage": "read the trace, or the requests of a report: each names its operation.",
}


class _Refusal(argparse.Action):
    """Says that an option was removed, and what to use instead."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        name = self.option_strings[0]
        parser.error(f"{name} was removed in 0.3: {REMOVED_OPTIONS[name]}")


def refuse_removed_options(group: pytest.OptionGroup) -> None:
    """Make pytest refuse the options that were removed. Its help does not show them."""
    for name in REMOVED_OPTIONS:
        group.addoption(name, nargs="?", action=_Refusal, help=argparse.SUPPRESS)
