"""Environment variables that point common clients to an emulator."""

from __future__ import annotations

import os
import re
import shutil
import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from svtrain_emulator._open_runs import end_wandb, has_open_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LOCAL_API_KEY = "svtrain-local00000000000000000000000000000000000"
SHORTEST_WANDB_KEY = 40


def variables(
    places: Mapping[str, str], folder: Path, added: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Return what each variable becomes. None removes it. `folder` is for what wandb writes.

    Raises:
        ValueError: When a value in `added` names an unknown place, such as `{trainin}`.

    """
    urls = (places["training"], places["inference"])
    hosts = {urlsplit(url).hostname or "" for url in urls} | {"localhost"}
    return {
        **_of_world(places, folder),
        "OPENAI_BASE_URL": places["inference"],
        "OPENAI_API_BASE": places["inference"],
        "OPENAI_API_KEY": places["key"],
        "NO_PROXY": _without_proxy("NO_PROXY", "no_proxy", hosts),
        "no_proxy": _without_proxy("no_proxy", "NO_PROXY", hosts),
        **{name: _filled(name, value, places) for name, value in added.items()},
    }


def proxied_variables(
    places: Mapping[str, str], folder: Path, of_proxy: Mapping[str, str]
) -> dict[str, str | None]:
    """Return what each variable becomes for code that names no address. `of_proxy` leads it to a proxy."""
    present, added = os.environ.get("NODE_OPTIONS", ""), of_proxy["NODE_OPTIONS"]
    options = present if present.endswith(added) else f"{present} {added}".strip()
    return {**_of_world(places, folder), **of_proxy, "NODE_OPTIONS": options}


def _of_world(places: Mapping[str, str], folder: Path) -> dict[str, str | None]:
    """Return the variables that tell a program where a world is, and keep it from other servers."""
    training, key = places["training"], places["key"]
    return {
        "SVTRAIN_BASE_URL": training,
        "SVTRAIN_INFERENCE_URL": places["inference"],
        "SVTRAIN_CONTROL_URL": places["control"],
        "SVTRAIN_API_KEY": key,
        "WANDB_BASE_URL": wandb_address(training),
        "WANDB_API_KEY": _wandb_key(key),
        # These keep it from other hosts, and from a part of the service that is not emulated.
        "WANDB_ERROR_REPORTING": "false",
        "WANDB_DISABLE_WEAVE": "true",
        "WEAVE_DISABLED": "true",
        # It sends what a run logs after a second, and not after 15. It takes whole seconds alone.
        "WANDB_X_FILE_STREAM_TRANSMIT_INTERVAL": "1",
        # Files of runs, downloads and logins do not end up in the project, or at the user's.
        **{f"WANDB_{name}_DIR": str(folder) for name in ("CACHE", "DATA")},
        "WANDB_DIR": str(folder),
        "NETRC": str(folder / "netrc"),
        # These libraries would call other servers, too.
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
    }


def wandb_address(training: str) -> str:
    """Return where wandb sends runs and artifacts: beside the training API."""
    return training.removesuffix("/v1")


def _wandb_key(key: str) -> str:
    """Return a key that wandb takes. It refuses short ones, and ignores what is before the first dash."""
    secret = key.partition("-")[2] or key
    return key if len(secret) >= SHORTEST_WANDB_KEY else LOCAL_API_KEY


def _without_proxy(own: str, other: str, hosts: set[str]) -> str:
    present = os.environ.get(own, os.environ.get(other, ""))
    listed = [each.strip() for each in present.split(",") if each.strip()]
    if "*" in listed:
        return "*"
    return ",".join(dict.fromkeys([*listed, *sorted(hosts)]))


def _filled(name: str, value: str | None, places: Mapping[str, str]) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}; expected a text, or None to remove the variable")
    for place in re.findall(r"\{(\w+)\}", value):
        if place not in places:
            known = ", ".join(f"{{{each}}}" for each in places)
            raise ValueError(f"{name}={value} has {{{place}}}. Known places: {known}.")
    return re.sub(r"\{(\w+)\}", lambda found: places[found[1]], value)


class EnvironmentChange(AbstractContextManager["EnvironmentChange"]):
    """A change of environment variables. It is undone at the end of `with`, or by `undo`."""

    def __init__(self, values: Mapping[str, str | None], folder: Path) -> None:
        self._before = {name: os.environ.get(name) for name in values}
        self._folder = folder
        self._undone = False
        self._renews_wandb = not has_open_run()
        _set(values)
        self._opener = _use_opener(None)
        self._renew_wandb()

    def __exit__(self, *_: object) -> None:
        self.undo()

    def undo(self) -> None:
        """Give each variable the value that it had before, and delete what wandb wrote."""
        if not self._undone:
            self._undone = True
            self._renew_wandb()
            _use_opener(self._opener)
            _set(self._before)
            shutil.rmtree(self._folder, ignore_errors=True)

    def _renew_wandb(self) -> None:
        if self._renews_wandb:
            end_wandb()


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _use_opener(opener: Any) -> Any:
    """Let `urllib` use an opener, and return the one before. One that it makes itself keeps its proxies."""
    module = sys.modules.get("urllib.request")
    if module is None:
        return None
    before = vars(module).get("_opener")
    module.install_opener(opener)
    return before
