"""What the wheel with the suite depends on, as scikit-build-core asks for it: the versions of
requirements.txt."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements.txt"
_TESTS_ALONE = ("iniconfig", "pluggy", "pygments", "pytest", "uv")


def dynamic_metadata(field: str, settings: Mapping[str, Any]) -> list[str]:
    """`dependencies`; beside a clone, whose launcher sees to them, those of a notebook."""
    if not os.environ.get("GEMMLAB_WHEEL"):
        return ["ipython>=7.34", "pandas>=1.5"]
    text = _REQUIREMENTS.read_text(encoding="utf-8")
    pinned = re.findall(r"^(([\w-]+)==[^\\\n]+?) *\\?$", text, re.MULTILINE)
    return [entry for entry, name in pinned if name not in _TESTS_ALONE]
