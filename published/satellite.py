from __future__ import annotations

from commands.satellites import Satellite

SATELLITE = Satellite(chapter="published.chapter:chapter", chapter_title="page.published", exhibit="published.exhibit:claims_exhibit")
