"""Words that messages have in common."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from svtrain_emulator._generated.models import ClientCheckFinding

MOST = 10
"""As many things does a message list."""


def counted(number: int, one: str) -> str:
    """Return `1 request`, or `2 requests`."""
    plural = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{number} {one if number == 1 else plural}"


def shown(value: Any) -> str:
    """Return a value as messages show it."""
    if isinstance(value, re.Pattern):
        return f"/{value.pattern}/"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def fields_text(pattern: Mapping[str, Any]) -> str:
    """Return the fields of what was expected, without those that were not named."""
    return ", ".join(f"{name} {shown(value)}" for name, value in pattern.items()) or "anything"


def did_you_mean(written: str | None, names: Sequence[str], cutoff: float = 0.6) -> str:
    """Return a sentence with the nearest name, or nothing if none is near."""
    found = get_close_matches(written or "", names, 1, cutoff)
    return f' Did you mean "{found[0]}"?' if found and found[0] != written else ""


def has_no(place: str, name: str, known: Sequence[str]) -> str:
    """Return the message for a name that is none of those that are known."""
    return f'{place} has no "{name}".{did_you_mean(name, known)} It has {", ".join(known)}.'


def finding_text(finding: ClientCheckFinding) -> str:
    """Return a mistake of a client, and how to turn off its check."""
    return f"{finding.text} ({finding.check}=False allows it)"
