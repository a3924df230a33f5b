"""What the layout of figures asks of a view, or of what stands in for one."""

from __future__ import annotations

from typing import Protocol

Value = tuple[float, float | None, float | None]  # value, low, high


class Headed(Protocol):
    """What a figure's head and the note below it are made of."""

    @property
    def title(self) -> str: ...

    @property
    def machine(self) -> str: ...

    @property
    def conditions(self) -> str: ...

    @property
    def reference(self) -> bool: ...

    @property
    def compact(self) -> bool: ...

    def left_out_text(self) -> str: ...

    def disturbed_text(self) -> str: ...

    def throttled_text(self) -> str: ...
