"""The judge. Its commands are `python -m submissions`."""

from __future__ import annotations

from commands.satellites import Satellite

SATELLITE = Satellite(needs=("emulator",))
