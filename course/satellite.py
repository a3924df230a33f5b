from __future__ import annotations

from commands.satellites import Satellite

SATELLITE = Satellite(commands={"course": "course.command:main"},
                      sentences="course.basis:sentences", texts="course.chapter:texts",
                      marks={".html": ('<ol class="course">',)})
