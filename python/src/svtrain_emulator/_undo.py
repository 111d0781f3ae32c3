"""Changes of this process that can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class Undoable:
    """A change that is undone at the end of `with`, or by `undo`."""

    def undo(self) -> None:
        """Undo the change. A second time does nothing."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.undo()
