"""Environment variables that point common clients to an emulator."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from typing_extensions import Self

PLACES = ("training", "inference", "control", "key")


def variables(
    *, training: str, inference: str, control: str, key: str, added: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Return what each variable becomes. None removes it.

    Raises:
        ValueError: When a value in `added` names an unknown place, such as `{trainin}`.

    """
    places = {"training": training, "inference": inference, "control": control, "key": key}
    hosts = {urlsplit(url).hostname or "" for url in (training, inference)} | {"localhost"}
    return {
        "SVTRAIN_BASE_URL": training,
        "SVTRAIN_INFERENCE_URL": inference,
        "SVTRAIN_CONTROL_URL": control,
        "SVTRAIN_API_KEY": key,
        "OPENAI_BASE_URL": inference,
        "OPENAI_API_BASE": inference,
        "OPENAI_API_KEY": key,
        # With a key in the environment, openpipe-art calls another server after each job.
        "WANDB_API_KEY": None,
        "WANDB_MODE": "disabled",
        # These libraries would call other servers, too.
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "NO_PROXY": _without_proxy("NO_PROXY", "no_proxy", hosts),
        "no_proxy": _without_proxy("no_proxy", "NO_PROXY", hosts),
        **{name: _filled(name, value, places) for name, value in added.items()},
    }


def _without_proxy(own: str, other: str, hosts: set[str]) -> str:
    present = os.environ.get(own, os.environ.get(other, ""))
    listed = [each.strip() for each in present.split(",") if each.strip()]
    if "*" in listed:
        return "*"
    return ",".join(dict.fromkeys([*listed, *sorted(hosts)]))


def _filled(name: str, value: str | None, places: Mapping[str, str]) -> str | None:
    if value is None:
        return None

    def place(found: re.Match[str]) -> str:
        if found[1] not in places:
            known = ", ".join(f"{{{each}}}" for each in PLACES)
            raise ValueError(f"{name}={value} has {found[0]}. Known places: {known}.")
        return places[found[1]]

    return re.sub(r"\{(\w+)\}", place, value)


class EnvironmentChange:
    """A change of environment variables. It is undone at the end of `with`, or by `undo`."""

    def __init__(self, values: Mapping[str, str | None]) -> None:
        self._before = {name: os.environ.get(name) for name in values}
        self._undone = False
        _set(values)

    def undo(self) -> None:
        """Give each variable the value that it had before."""
        if not self._undone:
            self._undone = True
            _set(self._before)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.undo()


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
