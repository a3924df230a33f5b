from __future__ import annotations

from commands.satellites import Satellite

TITLE = "Published against measured"
SATELLITE = Satellite(chapter="published:chapter", chapter_title=TITLE,
                      exhibit="published.exhibit:claims_exhibit", book="published.book:book")
