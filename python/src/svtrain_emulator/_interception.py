"""The way of the tests of a process to the shared emulator, although their code names no address."""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from svtrain_emulator._errors import EmulatorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from svtrain_emulator._emulator import World
    from svtrain_emulator._environment import EnvironmentChange
    from svtrain_emulator._generated.models import CalledHost
    from svtrain_emulator._pytest_session import Shared

_HOW = '@pytest.mark.svtrain(intercept=True, allow_hosts_out=["{host}"])'


class ProcessProxy:
    """The proxy of this process.

    It is the same for all tests, because clients read its address once. Each test leads it to its world.
    """

    def __init__(
        self, shared: Shared, *, addresses: Sequence[str], allow_hosts_out: Sequence[str]
    ) -> None:
        self._shared = shared
        self._addresses = addresses
        self._allowed = allow_hosts_out
        self._url: str | None = None
        self._whole: World | None = None

    def enclose_session(self) -> None:
        """Lead everything to the emulator that this process does, also what it does while it imports tests.

        Raises:
            EmulatorError: When the emulator does not start, or an address cannot be used.

        """
        whole = self._emulator()
        whole._use_proxy(self._open(whole, self._allowed))
        self._shared.leave_offer()

    def lead_to(self, world: World, allow_hosts_out: Sequence[str]) -> EnvironmentChange:
        """Lead the calls of this process to a world. The variables of the world are undone with it."""
        return world._use_proxy(self._open(world, [*self._allowed, *allow_hosts_out]))

    def release(self) -> None:
        """Lead the calls to no world of a test: the key of each call decides."""
        with contextlib.suppress(EmulatorError):  # The emulator has stopped: the test said so.
            self._open(self._emulator(), self._allowed)

    def close(self) -> None:
        """Undo the variables of the session."""
        if self._whole is not None:
            self._shared.withdraw_offer()
            self._whole.close()
            self._whole = None

    def _open(self, world: World, allowed: Sequence[str]) -> Any:
        addresses = self._addresses if self._url is None else None
        opened = world.open_proxy(
            proxy_url=self._url, addresses=addresses, allow_hosts_out=allowed, allow_with=_HOW
        )
        self._url = opened.proxy_url
        return opened

    def _emulator(self) -> World:
        from svtrain_emulator._emulator import World

        if self._whole is None:
            key = f"svtrain-{secrets.token_hex(20)}"
            self._whole = World(replace(self._shared.addresses(), api_key=key))
        return self._whole


_NOT_CALLED = (
    "No host was called through the proxy. A client that uses no proxy cannot be caught, such as "
    "http.client, urllib3.PoolManager() and aiohttp without trust_env=True. Give it the address "
    "in svtrain.training_url or svtrain.inference_url."
)


def host_lines(hosts: Sequence[CalledHost]) -> list[str]:
    """Return which hosts a test called, and the outcome."""
    if not hosts:
        return [_NOT_CALLED]
    width = max(len(each.host) for each in hosts)
    lines = [f"  {each.host.ljust(width)}  {_outcome(each)}" for each in hosts]
    return ["Hosts that the test called:", *lines]


def _outcome(called: CalledHost) -> str:
    trouble = f", {called.troubled} of them with an error" if called.troubled else ""
    parts = [
        f"{called.answered} answered by the emulator{trouble}" if called.answered else "",
        f"{called.refused} refused" if called.refused else "",
        f"{called.passed} passed on" if called.passed else "",
        *called.failures,
    ]
    return "; ".join(part for part in parts if part)
