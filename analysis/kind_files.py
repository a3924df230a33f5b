"""Which kinds of tables and figures there are: one file each, which ends in its KIND
(tables/kind.py).

The file's name is the kind's, as definitions write it; one that begins with an underscore is none.
A kind in the folder with_baseline/ needs a baseline. cmake/WriteKinds.cmake tells the program the
same by the same names.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from commands.satellites import satellites
from files.tree import ROOT

WITH_BASELINE = "with_baseline"


@cache
def _modules(package: str, folders: tuple[str, ...]) -> dict[str, tuple[ModuleType, bool]]:
    """kind -> its module, and does it need a baseline?"""
    return {path.stem: (import_module(".".join((package, *below, path.stem))), bool(below))
            for folder in folders for below in ((), (WITH_BASELINE,))
            for path in sorted(Path(folder, *below).glob("[!_]*.py"))}


def _of(package: ModuleType) -> dict[str, Any]:
    found = _modules(package.__name__, tuple(package.__path__))
    return {name: replace(module.KIND, needs_baseline=True) if needs else module.KIND
            for name, (module, needs) in found.items()}


def kinds_in(package: ModuleType, what: str) -> dict[str, Any]:
    """kind -> KIND, by name, of the package's folders (its `__path__`) and of satellites' folders
    of the name `what`."""
    others = [import_module(f"{name}.{what}") for name in satellites()
              if (ROOT / name / what / "__init__.py").is_file()]
    return dict(sorted(kind for one in (package, *others) for kind in _of(one).items()))
