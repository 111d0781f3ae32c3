"""Changes of this process that can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


class Undoable:
    """A change that is undone at the end of `with`, or by `undo`."""

    def undo(self) -> None:
        """Undo the change. A second time does nothing."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.undo()
