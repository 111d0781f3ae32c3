"""The markers `svtrain` and `svtrain_explore`, and the settings of pytest that they add to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, get_args

import pytest

from svtrain_emulator._job_verdicts import CHECKS, settings_message
from svtrain_emulator._shared import ClockMode, check_scenario
from svtrain_emulator._words import has_no, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from svtrain_emulator._explore import Exploration
    from svtrain_emulator._shared import CheckSetting

MARKER = (
    "svtrain(scenario, seed, clock, speed, checks, env, intercept, allow_hosts_out): "
    "sets up the world of the fixture `svtrain`. "
    "scenario: a name, a path or a dict. clock: auto, instant, real or manual. "
    "checks: False, or a dict such as {'polls_past_the_end': False}. "
    "env: True points common clients to it by environment variables. "
    "intercept: True answers code that calls the real hosts of the service. "
    "allow_hosts_out: other hosts that this code may call."
)
EXPLORE_MARKER = (
    "svtrain_explore(runs=50, time='10m', seed=1, timeout=30, to, crash): runs the test with everything "
    "that the service can do to it. timeout: seconds of one run. to: a folder for the scenarios of failures. "
    "crash: True kills the code at a few calls of each operation, and runs the test again in the same world."
)
_WRITTEN: Mapping[str, CheckSetting] = {"true": True, "false": False, "fail": "fail"}
"""The settings of a check, as `svtrain_checks` has them."""


@dataclass(frozen=True)
class Settings:
    """What the markers of a test say."""

    scenario: Any = None
    seed: int | None = None
    clock: Any = None
    speed: float | None = None
    checks: Mapping[str, CheckSetting] | None = None
    """The client checks, with those of the project. None if none runs."""
    env: bool = False
    intercept: bool = False
    allow_hosts_out: Sequence[str] = ()


def settings_of(item: pytest.Item) -> Settings:
    """Return what the markers of a test say. The closest marker wins, setting by setting."""
    found: dict[str, Any] = {}
    place = f"{item.nodeid}: pytest.mark.svtrain"
    for marker in item.iter_markers("svtrain"):
        if len(marker.args) > 1 or (marker.args and "scenario" in marker.kwargs):
            raise pytest.UsageError(f"{place} takes one scenario, with its name or without")
        given = {**({"scenario": marker.args[0]} if marker.args else {}), **marker.kwargs}
        _refuse_others(place, given, Settings.__match_args__)
        _check_values(place, given)
        found = {**given, **found}
    of_session = item.config.getini("svtrain_intercept")
    if of_session and found.get("intercept") is False:
        raise pytest.UsageError(
            f"{item.nodeid} has intercept=False, but svtrain_intercept leads the whole session to the "
            "emulator. Remove one of them."
        )
    found.setdefault("intercept", of_session)
    if found.get("allow_hosts_out") is not None and not found["intercept"]:
        raise pytest.UsageError(
            f"allow_hosts_out of {item.nodeid} needs intercept=True. Without it, the test may call all hosts."
        )
    return Settings(**{**found, "checks": _checks_of(item, found.get("checks", True))})


def _checks_of(item: pytest.Item, own: Any) -> dict[str, CheckSetting] | None:
    if own is False:
        return None
    place = f"{item.nodeid}: checks of pytest.mark.svtrain"
    named = {} if own is True else own
    if problem := settings_message(place, named):
        raise pytest.UsageError(problem)
    return {**checks_of_project(item.config), **named}


def checks_of_project(config: pytest.Config) -> dict[str, CheckSetting]:
    """Return what `svtrain_checks` says about the checks of all tests."""
    found: dict[str, CheckSetting] = {}
    for line in config.getini("svtrain_checks"):
        name, _, text = (part.strip() for part in line.partition("="))
        _refuse_others("svtrain_checks", [name], CHECKS)
        if text not in _WRITTEN:
            raise pytest.UsageError(
                f'svtrain_checks has "{name} = {text}". A check is {", ".join(_WRITTEN)}.'
            )
        found[name] = _WRITTEN[text]
    return found


def exploration_of(item: pytest.Item, seed: int | None) -> Exploration | None:
    """Return what the closest marker `svtrain_explore` of a test says. `seed` is that of the other marker."""
    marker = item.get_closest_marker("svtrain_explore")
    if marker is None:
        return None
    from svtrain_emulator._explore import Exploration

    place = f"{item.nodeid}: pytest.mark.svtrain_explore"
    if marker.args:
        raise pytest.UsageError(f"{place} takes names only: runs=50")
    _refuse_others(place, marker.kwargs, Exploration.__match_args__)
    _check_values(place, marker.kwargs)
    return Exploration(**{"seed": seed, **marker.kwargs})


def uses_svtrain(item: pytest.Item) -> bool:
    """Return whether a test uses the fixture. If not, refuse its own markers: they would change nothing.

    Those of its class or module are for other tests.
    """
    if "svtrain" in getattr(item, "fixturenames", ()):
        return True
    for marker in item.own_markers:
        if marker.name in {"svtrain", "svtrain_explore"}:
            raise pytest.UsageError(
                f"{item.nodeid} has the marker {marker.name}, but does not use the fixture svtrain. "
                "Add svtrain to its parameters."
            )
    return False


_VALUES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("env", "intercept"), (lambda value: isinstance(value, bool), "True or False")),
    "checks": (lambda value: isinstance(value, (bool, Mapping)), "False, or a dict of checks"),
    "seed": (lambda value: type(value) is int, "a whole number"),
    "clock": (lambda value: value in get_args(ClockMode), "auto, instant, real or manual"),
    "speed": (lambda value: type(value) in {int, float}, "a number"),
    "allow_hosts_out": (lambda value: isinstance(value, (list, tuple)), "a list of hosts"),
    "runs": (lambda value: type(value) is int and value > 0, "a whole number from 1"),
    "time": (lambda value: isinstance(value, (str, timedelta)), 'a duration, such as "10m"'),
    "timeout": (lambda value: type(value) in {int, float} and value > 0, "seconds, such as 30"),
}
"""What the settings of markers may be, if the emulator does not check them. None is the default."""


def _check_values(place: str, given: Mapping[str, Any]) -> None:
    for name, (is_right, expected) in _VALUES.items():
        value = given.get(name)
        if value is not None and not is_right(value):
            raise pytest.UsageError(f"{place}: {name} is {shown(value)}; expected {expected}")
    try:
        check_scenario(given.get("scenario"))
    except TypeError as error:
        raise pytest.UsageError(f"{place}: {error}") from None


def _refuse_others(place: str, names: Iterable[str], known: tuple[str, ...]) -> None:
    for name in names:
        if name not in known:
            raise pytest.UsageError(has_no(place, name, known))
