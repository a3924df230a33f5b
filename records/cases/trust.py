"""Whether a measured ceiling can be relied on."""

from __future__ import annotations

from typing import Any

Entry = dict[str, Any]


def trusted(entry: Entry) -> bool:
    """Did its self-check hold? Older records, which do not say, count as trusted unless their words
    deny it."""
    return entry.get("trusted") is not False and "(not trusted)" not in str(entry.get("how"))
