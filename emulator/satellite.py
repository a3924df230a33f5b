from __future__ import annotations

from commands.satellites import Satellite, Start

SATELLITE = Satellite(commands={"explain": "emulator.explain.command:main"}, starts={
    "explain": Start(module=("report", "explain"), target="gemmlab_explain")})
