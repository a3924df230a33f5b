"""Chinese: a folder that is called as its language and holds its catalogue is all that a language
is (language/__init__.py)."""

from __future__ import annotations

from commands.satellites import Satellite

SATELLITE = Satellite()
