"""Methods that the answers of the control API have in Python."""

from __future__ import annotations

import json
from typing import Any


class JobMethods:
    """What is added to `Job`."""

    id: str
    model: Any

    @property
    def name(self) -> str:
        """The job in words: `job 1b2c3d4e of model "poet"`."""
        return f'job {self.id[:8]} of model "{self.model.name}"'


class SinkRecordMethods:
    """What is added to `SinkRecord`."""

    id: str
    method: str
    path: str
    body: str
    verdict: str

    @property
    def json(self) -> Any:
        """The value of the JSON body, or None if the body is something else."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def event(self) -> str | None:
        """The `event_type` of the payload, if it has one."""
        body = self.json
        found = body.get("event_type") if isinstance(body, dict) else None
        return found if isinstance(found, str) else None

    def __str__(self) -> str:
        event = "" if self.event is None else f", {self.event}"
        return f"{self.id}: {self.method} {self.path}{event}, {self.verdict}"
