from __future__ import annotations

from commands.satellites import Satellite

SATELLITE = Satellite(commands={"gallery": "gallery.command:main",
                                "contribute": "gallery.contribute:main"})
