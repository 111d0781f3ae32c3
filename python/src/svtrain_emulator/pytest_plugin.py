"""The plugin for pytest: the fixtures `svtrain` and `svtrain_sink`, and the markers."""

from __future__ import annotations

import argparse
import contextlib
import secrets
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from svtrain_emulator._errors import (
    ClientCheckError,
    ClientCheckWarning,
    EmulatorError,
)
from svtrain_emulator._job_verdicts import CHECKS
from svtrain_emulator._markers import (
    EXPLORE_MARKER,
    MARKER,
    Settings,
    checks_of_project,
    exploration_of,
    settings_of,
    uses_svtrain,
)
from svtrain_emulator._words import did_you_mean, finding_text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    import httpx

    from svtrain_emulator._emulator import World
    from svtrain_emulator._explore import Exploration
    from svtrain_emulator._generated.client import SinkCalls
    from svtrain_emulator._interception import ProcessProxy
    from svtrain_emulator._pytest_session import Shared

T = TypeVar("T")

BILL = "svtrain bill"
COVERAGE = "--svtrain-coverage"
_shared: pytest.StashKey[Shared] = pytest.StashKey()
_proxy: pytest.StashKey[ProcessProxy] = pytest.StashKey()
_world: pytest.StashKey[World] = pytest.StashKey()
_settings: pytest.StashKey[Settings] = pytest.StashKey()
_passed: pytest.StashKey[bool] = pytest.StashKey()
_exploration: pytest.StashKey[Exploration] = pytest.StashKey()
_state: pytest.StashKey[Path] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the settings of the shared emulator."""
    parser.addini(
        "svtrain_args",
        "More options of the emulator that the tests share, such as --serve-any-model.",
        type="args",
    )
    parser.addini(
        "svtrain_scenario",
        "The scenario of tests whose marker names none. Default: happy-path.",
    )
    parser.addini(
        "svtrain_contract",
        "The version of the contract of the service, such as 2026-01. Default: the newest.",
    )
    parser.addini(
        "svtrain_budget",
        "What each test may use at most: 2M-tokens, or 5usd with --svtrain-bill=PRICES.",
    )
    parser.addini(
        "svtrain_checks",
        "The client checks of all tests: a line for each that is off or fails, such as "
        "equal_rewards = false or mixed_prompts = fail.",
        type="linelist",
    )
    parser.addini(
        "svtrain_intercept",
        "Whether the tests, and all that they import, reach the emulator although they call the real hosts.",
        type="bool",
    )
    parser.addini(
        "svtrain_addresses",
        "What is intercepted: a line for each, such as training=https://api.example.com/v1. "
        "Default: the documented service.",
        type="linelist",
    )
    parser.addini(
        "svtrain_allow_hosts_out",
        "Hosts that intercepted tests may call as well, such as huggingface.co.",
        type="linelist",
    )
    group = parser.getgroup("svtrain-emulator")
    group.addoption(
        "--svtrain-bill",
        nargs="?",
        const="",
        default=None,
        metavar="PRICES",
        help="Print what each test used of the service. With =PRICES, a file, also what that costs.",
    )
    group.addoption(
        "--svtrain-report",
        metavar="FOLDER",
        help="Write one HTML page for each failed test that uses svtrain to this folder.",
    )
    # Added to no group: the reference has the options of the group.
    parser.addoption(COVERAGE, nargs="?", const="", help=argparse.SUPPRESS)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Intercept before pytest imports anything of the project, if the project says so.

    A client reads the variables when it is made, and many are made while a module is imported.
    """
    if early_config.getini("svtrain_intercept") and not early_config.known_args_namespace.help:
        _intercept_session(early_config)


def _intercept_session(config: pytest.Config) -> None:
    proxy = _proxy_of(config)
    try:
        proxy.enclose_session()
    except EmulatorError as error:
        proxy.close()
        _shared_of(config).stop()
        raise pytest.UsageError(str(error)) from None


def _shared_of(config: pytest.Config) -> Shared:
    from svtrain_emulator._pytest_session import shared_for

    if _shared not in config.stash:
        config.stash[_shared] = shared_for(config)
    return config.stash[_shared]


def _proxy_of(config: pytest.Config) -> ProcessProxy:
    from svtrain_emulator._interception import ProcessProxy

    if _proxy not in config.stash:
        config.stash[_proxy] = ProcessProxy(
            _shared_of(config),
            addresses=config.getini("svtrain_addresses"),
            allow_hosts_out=config.getini("svtrain_allow_hosts_out"),
        )
    return config.stash[_proxy]


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and prepare the shared emulator. It starts with the first test that uses it."""
    config.addinivalue_line("markers", MARKER)
    config.addinivalue_line("markers", EXPLORE_MARKER)
    if config.getoption(COVERAGE) is not None:
        raise pytest.UsageError(
            f"{COVERAGE} was removed in 0.3: "
            "read the trace, or the requests of a report: each names its operation."
        )
    _shared_of(config)
    checks_of_project(config)  # What is wrong there is refused before any test is collected.
    if config.getini("svtrain_intercept") and _proxy not in config.stash:
        # The plugin was loaded by a conftest file.
        _intercept_session(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the shared emulator."""
    if proxy := config.stash.get(_proxy, None):
        proxy.close()
    if shared := config.stash.get(_shared, None):
        shared.stop()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the bills of tests, and the warnings of the shared emulator."""
    if config.getoption("--svtrain-bill") is not None:
        _print_bills(terminalreporter)
    shared = config.stash.get(_shared, None)
    if shared and shared.warnings and not config.getoption("disable_warnings", False):
        terminalreporter.section("svtrain-emulator warnings")
        for line in shared.warnings:
            terminalreporter.write_line(line)


def _print_bills(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("svtrain-emulator bills")
    reports = [each for some in terminalreporter.stats.values() for each in some]
    # Workers of pytest-xdist send the properties of tests with their reports.
    ended = [each for each in reports if getattr(each, "when", None) == "teardown"]
    bills = {each.nodeid: dict(each.user_properties).get(BILL) for each in ended}
    for test, bill in bills.items():
        if bill is not None:
            terminalreporter.write_line(f"{test}: {bill}")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist where it finds the shared emulator."""
    node.workerinput["svtrain"] = node.config.stash[_shared].offer()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a marker that is wrong before any test runs."""
    for item in items:
        item.stash[_settings] = settings = settings_of(item)
        _set_up_first(item, settings)
        if uses_svtrain(item) and (exploration := exploration_of(item, settings.seed)):
            item.stash[_exploration] = exploration


def _set_up_first(item: pytest.Item, settings: Settings) -> None:
    """Set up `svtrain` before all other fixtures of an intercepted test, also if only a marker names it.

    Clients that other fixtures make read the variables then.
    """
    if not isinstance(item, pytest.Function) or not settings.intercept:
        return
    others = [name for name in item.fixturenames if name != "svtrain"]
    if len(others) < len(item.fixturenames) or item.get_closest_marker("svtrain"):
        item.fixturenames = ["svtrain", *others]


@pytest.fixture(scope="session")
def _svtrain_http() -> Iterator[httpx.Client]:
    """Connections to the shared emulator that all tests of a process use."""
    import httpx

    from svtrain_emulator._shared import local_options

    with httpx.Client(**local_options()) as client:
        yield client


@pytest.fixture
def svtrain(request: pytest.FixtureRequest, _svtrain_http: httpx.Client) -> Iterator[World]:
    """An emulator for this test alone: a world of its own in a process that all tests share.

    Set its scenario, seed and clock with `@pytest.mark.svtrain(scenario=…, seed=…, clock=…)`. After a test
    that passed, the client checks run. If a test fails, its report has the trace, the scenario and the
    seed.
    """
    from svtrain_emulator._emulator import World
    from svtrain_emulator._evidence import unnoticed
    from svtrain_emulator._open_runs import open_runs

    item: pytest.Item = request.node
    # Other plugins add markers after the collection, too.
    item.stash[_settings] = settings = settings_of(item)
    addresses = _or_fail(request.config.stash[_shared].addresses)
    # In the form of a real one, and new for each run of a test.
    key = f"svtrain-{secrets.token_hex(20)}"
    world = World(replace(addresses, api_key=key), world=key, http=_svtrain_http)
    item.stash[_world] = world
    default_scenario = request.config.getini("svtrain_scenario") or None
    before = open_runs()
    try:
        _or_fail(lambda: _set_up(world, settings, default_scenario))
        if settings.intercept:
            _or_fail(lambda: _proxy_of(item.config).lead_to(world, settings.allow_hosts_out))
        yield world
        if item.stash.get(_passed, False):
            # As at the end of a program: what nobody ends then is really left open.
            for run in open_runs():
                if run not in before:
                    run.finish()
            _check_clients(world, settings, item)
            for text in unnoticed(world, item, settings):
                item.warn(UserWarning(text))
            _check_bill(world, item)
    finally:
        del item.stash[_world]
        if settings.intercept:
            _proxy_of(item.config).release()
        # Ends what is scheduled, so that no webhook of this test arrives during the next one.
        _end(world)


@pytest.fixture
def svtrain_state(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what the code of this test stores.

    With `svtrain_explore`, it is empty at the start of each run. After a kill, it stays as it is.
    """
    folder = tmp_path_factory.mktemp("svtrain-state")
    request.node.stash[_state] = folder
    return folder


@pytest.fixture
def svtrain_sink(svtrain: World) -> SinkCalls:
    """Receives the webhooks of the fixture `svtrain`."""
    svtrain.sink.open()
    return svtrain.sink


def _or_fail(work: Callable[[], T]) -> T:
    """Return the result of `work`. An error of the emulator fails the test with its words alone."""
    try:
        return work()
    except EmulatorError as error:
        pytest.fail(getattr(error, "detail", str(error)), pytrace=False)


def _set_up(world: World, settings: Settings, default_scenario: str | None) -> None:
    scenario = settings.scenario or default_scenario
    seed, clock, speed = settings.seed, settings.clock, settings.speed
    if scenario is not None or seed is not None:
        try:
            chosen = world.reset(scenario, seed=seed).scenario
        except OSError as error:
            path = Path(error.filename).absolute()
            built_in = [each.name for each in world.scenarios.list()]
            files = [each.name for each in path.parent.glob("*.*")]
            hint = did_you_mean(path.name, [*files, *built_in])
            raise EmulatorError(f"Failed to read {path}: {error.strerror}.{hint}") from None
        if not chosen.built_in:
            own = world.scenarios.current().scenario
            if seed is None and own.get("seed") is not None:
                world.reset(scenario, seed=own["seed"])
            clock = clock or own.get("clock", {}).get("mode")
            speed = speed or own.get("clock", {}).get("speed")
    if clock is not None or speed is not None:
        world.use_clock(clock or "real", speed=speed)
    if settings.env:
        world.env()


def _check_clients(world: World, settings: Settings, item: pytest.Item) -> None:
    if settings.checks is None:
        return
    from svtrain_emulator._evidence import write_page

    findings = world.client_checks(**settings.checks)
    errors = [each for each in findings if each.severity == "fail"]
    message = str(ClientCheckError(errors, world.trace())) if errors else None
    for each in findings:
        if each.severity == "warn":
            try:
                item.warn(ClientCheckWarning(finding_text(each)))
            except ClientCheckWarning as error:
                # With `-W error`, pytest raises a warning.
                message = message or str(error)
    if message is not None:
        written = write_page(world, item, message, ended=True)
        pytest.fail("\n\n".join(filter(None, [message, written])), pytrace=False)


def _check_bill(world: World, item: pytest.Item) -> None:
    """Record what a test used, for the end, and fail it if that is above its budget."""
    file: str | None = item.config.getoption("--svtrain-bill")
    budget = item.config.getini("svtrain_budget") or None
    if file is None and budget is None:
        return
    try:
        prices = Path(file).read_text(encoding="utf-8") if file else None
        bill = world.bill(prices=prices, budget=budget)
    except (EmulatorError, OSError) as error:
        pytest.fail(f"Failed to make the bill: {error}", pytrace=False)
    tokens = bill.totals
    text = (
        f"{tokens.chats} chats, {tokens.prompt} prompt, {tokens.completion} completion and "
        f"{tokens.trained} trained tokens, {tokens.jobs} training jobs"
    )
    if bill.money is not None:
        text += f", {bill.money.total:.4g} {bill.money.currency}"
    item.user_properties.append((BILL, text))
    if bill.budget is not None and not bill.budget.passed:
        pytest.fail(bill.text, pytrace=False)


def _end(world: World) -> None:
    # If the emulator has stopped, the test said so.
    with contextlib.suppress(EmulatorError), contextlib.closing(world):
        world.reset()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Run a test with the marker `svtrain_explore` many times, in one call."""
    exploration = item.stash.get(_exploration, None)
    world = item.stash.get(_world, None)
    if exploration is None or world is None or "runtest" in vars(item):
        return
    from svtrain_emulator._evidence import not_called
    from svtrain_emulator._explore import explore

    settings, shared = item.stash[_settings], item.config.stash[_shared]
    own = settings.checks
    given = dict.fromkeys(CHECKS, False) if own is None else own
    checks = {name: setting is not False for name, setting in given.items()}
    run = item.runtest

    def explored() -> None:
        # A test that runs again, such as by another plugin, is explored again.
        del item.runtest
        why = partial(not_called, world, settings, shared)
        explore(item, run, world, exploration, checks, item.stash.get(_state, None), why)

    item.runtest = explored  # type: ignore[method-assign]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Note whether the test passed, and add the trace to the report of a test that failed."""
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    if report.when == "call":
        passed = report.passed and not hasattr(report, "wasxfail")
        # An exploration has run the client checks.
        item.stash[_passed] = passed and _exploration not in item.stash
    world = item.stash.get(_world, None)
    if report.failed and report.when == "call" and _exploration in item.stash:
        # The report says everything. What all runs printed would bury it.
        report.sections = [each for each in report.sections if not each[0].endswith(" call")]
    elif report.failed and world is not None:
        from svtrain_emulator._evidence import story_of, write_page

        story = story_of(world, item, item.stash[_settings], item.config.stash[_shared])
        if "OPENAI_API_KEY" in report.longreprtext:
            story += "\nOPENAI_API_KEY: svtrain.env() sets it. See: svtrain-emulator docs judge"
        report.sections.append(("svtrain-emulator", story))
        written = write_page(world, item, report.longreprtext)
        if written is not None:
            report.sections.append(("svtrain-emulator report", written))
