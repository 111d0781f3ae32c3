"""Verdicts on what a sink received: which deliveries match, and how others differ."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from svtrain_emulator._errors import NoSuchNameError
from svtrain_emulator._words import counted, did_you_mean, fields_text, has_no, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from svtrain_emulator._generated.models import SinkRecord

__tracebackhide__ = True

EVENTS = (
    "CREATE_ARTIFACT",
    "LINK_ARTIFACT",
    "UNLINK_ARTIFACT",
    "ADD_ARTIFACT_ALIAS",
    "ADD_ARTIFACT_TAG",
    "REMOVE_ARTIFACT_TAG",
    "ADD_COLLECTION_TAG",
    "REMOVE_COLLECTION_TAG",
    "RUN_METRIC",
    "RUN_METRIC_CHANGE",
    "RUN_METRIC_ZSCORE",
    "RUN_STATE",
)
VERDICTS = ("valid", "missing", "invalid", "unverifiable")


@dataclass(frozen=True)
class WebhookPattern:
    """Matches deliveries by all the fields that it names. Texts are globs."""

    event: str | None = None
    path: str | None = None
    method: str | None = None
    verdict: str | None = None
    duplicate: bool | None = None
    headers: Mapping[str, str] | None = None
    body: Any = None

    def __post_init__(self) -> None:
        """Refuse what no delivery can have.

        Raises:
            NoSuchNameError: For another verdict, or an event that is nearly that of a scenario.

        """
        event, verdict = self.event, self.verdict
        # A payload of your own may have other events.
        if event is not None and event not in EVENTS and "*" not in event:
            hint = did_you_mean(event.upper(), EVENTS, 0.85)
            if hint:
                raise NoSuchNameError(f"event is {shown(event)}, which is not an event.{hint}")
        if verdict is not None and verdict not in VERDICTS:
            known = ", ".join(shown(each) for each in VERDICTS)
            hint = did_you_mean(verdict, VERDICTS)
            raise NoSuchNameError(f"verdict is {shown(verdict)}; expected one of {known}.{hint}")

    @classmethod
    def of(cls, named: Mapping[str, Any]) -> WebhookPattern:
        """Return the pattern with these fields.

        Raises:
            NoSuchNameError: For another field, and what the pattern itself refuses.

        """
        for name in named:
            if name not in cls.__match_args__:
                raise NoSuchNameError(has_no("A pattern of deliveries", name, cls.__match_args__))
        return cls(**named)

    def differences(self, record: SinkRecord) -> list[str]:
        """Return each place in which a delivery differs."""
        globs = [
            ("event", self.event, record.event),
            ("path", self.path, record.path),
            ("method", self.method and self.method.upper(), record.method),
            ("verdict", self.verdict, record.verdict),
        ]
        for name, expected in (self.headers or {}).items():
            globs.append((f"headers.{name.lower()}", expected, record.headers.get(name.lower())))
        found = [_difference(*each) for each in globs if not _fits(*each[1:])]
        repeats = record.duplicate_of is not None
        if self.duplicate is not None and self.duplicate is not repeats:
            found.append(_difference("duplicate", self.duplicate, repeats))
        if self.body is not None:
            found += _body_differences("body", self.body, record.json)
        return found

    def __str__(self) -> str:
        named = {name: value for name, value in vars(self).items() if value is not None}
        return "any" if not named else "{" + fields_text(named) + "}"


def _difference(place: str, expected: Any, received: Any) -> str:
    return f"  {place}: expected {shown(expected)}, received {shown(received)}"


def _fits(glob: str | None, text: str | None) -> bool:
    if glob is None or text is None:
        return glob is None
    pattern = ".*".join(re.escape(part) for part in glob.split("*"))
    return re.fullmatch(pattern, text, re.DOTALL) is not None


def _body_differences(place: str, expected: Any, received: Any) -> list[str]:
    """Compare a part of a body: of objects, the fields that are named."""
    if isinstance(expected, Mapping) and isinstance(received, Mapping):
        found: list[str] = []
        for name, value in expected.items():
            if name in received:
                found += _body_differences(f"{place}.{name}", value, received[name])
            else:
                found.append(f"  {place}.{name}: expected {shown(value)}, received nothing")
        return found
    if isinstance(expected, list) and isinstance(received, list):
        if len(expected) != len(received):
            return [_difference(f"{place}: length", len(expected), len(received))]
        pairs = enumerate(zip(expected, received, strict=True))
        return [
            line
            for index, (one, other) in pairs
            for line in _body_differences(f"{place}[{index}]", one, other)
        ]
    if isinstance(expected, re.Pattern):
        fits = isinstance(received, str) and expected.search(received) is not None
    else:
        fits = bool(expected == received)
    return [] if fits else [_difference(place, expected, received)]


def matching(records: Sequence[SinkRecord], pattern: WebhookPattern) -> list[SinkRecord]:
    """Return the deliveries that match."""
    return [record for record in records if not pattern.differences(record)]


def nearest(records: Sequence[SinkRecord], pattern: WebhookPattern) -> str:
    """Return the delivery that comes closest, and every place in which it differs."""
    if not records:
        return "Nothing was received at all."
    # Of equally near ones, the latest: the test just caused it.
    found = min(reversed(records), key=lambda record: len(pattern.differences(record)))
    return "\n".join([f"The nearest is {found}", *pattern.differences(found)])


def webhook_message(
    records: Sequence[SinkRecord], pattern: WebhookPattern, times: int | None
) -> str | None:
    """Return the message for deliveries that did not arrive, or None if they did."""
    found = matching(records, pattern)
    if (times is None and found) or len(found) == times:
        return None
    wanted = "a delivery" if times is None else counted(times, "delivery")
    received = f"{len(found)} of {len(records)} received match"
    head = f"expected {wanted} like {pattern}; {received}"
    details = [f"  {record}" for record in found] or [nearest(records, pattern)]
    return "\n".join([head, *details])


def order_message(records: Sequence[SinkRecord], patterns: Sequence[WebhookPattern]) -> str | None:
    """Return the message for deliveries that did not arrive in this order, or None if they did."""
    start = 0
    last = None
    for number, pattern in enumerate(patterns, 1):
        rest = records[start:]
        found = next(iter(matching(rest, pattern)), None)
        if found is None:
            after = "" if last is None else f" after delivery {last.id}"
            expected = f"{len(patterns)} deliveries in order; number {number}, like {pattern}"
            lines = [f"expected {expected}, did not come{after}", nearest(rest, pattern)]
            early = matching(records[:start], pattern)
            if early:
                lines[1] = f"One like it came too early:\n  {early[-1]}"
            return "\n".join([*lines, "Received:", *[f"  {record}" for record in records]])
        start += rest.index(found) + 1
        last = found
    return None


def signature_message(records: Sequence[SinkRecord]) -> str | None:
    """Return the message for signatures that are not valid, or None if all are."""
    if not records:
        return "expected a valid signature; nothing was received at all"
    wrong = [record for record in records if record.verdict != "valid"]
    if not wrong:
        return None
    lines = [f"  {record}\n    {record.diagnosis or record.verdict}" for record in wrong]
    return "\n".join(["expected a valid signature", *lines])
