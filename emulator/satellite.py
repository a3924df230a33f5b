from __future__ import annotations

from commands.satellites import Satellite, Start

SATELLITE = Satellite(
    commands={"explain": "emulator.explain.command:main"},
    starts={"explain": Start(module=("report", "explain"), target="gemmlab_emulated_program")},
    yours={40: ("./gemmlab explain gpu.tiled --block 4", "what binds a kernel, and which line")},
    marks={".json": ('"launches": [',)})
