from __future__ import annotations

from commands.satellites import Satellite

SATELLITE = Satellite(commands={"explain": "emulator.explain.command:main"})
