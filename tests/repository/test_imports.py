"""The house: imports go one way between folders, a folder holds what one can keep in mind, and the
suite knows no satellite."""

from __future__ import annotations

import ast
import re
from collections.abc import Container
from pathlib import Path
from runpy import run_path

from sample_records import ROOT

from commands.satellites import needs_of

MOST = 12  # modules in a folder
OF_KINDS = ("plots", "report/kinds")  # hold a file per kind besides


def module_of(path: Path, root: Path) -> str:
    name = ".".join(path.relative_to(root).with_suffix("").parts)
    return name.removesuffix(".__init__")


def _named(node: ast.AST, module: str, package: bool, known: Container[str]) -> list[str]:
    """The dotted names that a node imports: by a statement, wherever it stands, or by name
    (import_module)."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        parts = module.split(".")
        base = parts[:len(parts) - node.level + package] if node.level else []
        origin = ".".join([*base, *([node.module] if node.module else [])])
        return [origin if f"{origin}.{alias.name}" not in known else f"{origin}.{alias.name}"
                for alias in node.names]
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = (node.func.attr if isinstance(node.func, ast.Attribute)
                  else getattr(node.func, "id", ""))
        return [str(node.args[0].value)] if called in ("import_module", "__import__") else []
    return []


def paths_of(root: Path) -> dict[str, Path]:
    """module -> its file, of every package at the top of the tree."""
    return {module_of(path, root): path for name in sorted(root.glob("*/__init__.py"))
            for path in sorted(name.parent.rglob("*.py"))
            if "templates" not in path.relative_to(root).parts}


def graph_of(root: Path) -> dict[str, set[str]]:
    """module -> the modules of the tree that it imports; those under `if TYPE_CHECKING` too."""
    paths = paths_of(root)
    graph = {}
    for module, path in paths.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {name for node in ast.walk(tree)
                 for name in _named(node, module, path.name == "__init__.py", paths)}
        graph[module] = (named & paths.keys()) - {module}
        graph[module] |= {parent for name in graph[module] if (parent := name.rpartition(".")[0])
                          in paths and not module.startswith(parent)}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import one another (Tarjan 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in order:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            place = stack.index(name)
            group, stack[place:] = stack[place:], []
            if len(group) > 1:
                found.append(sorted(group))

    for name in graph:
        if name not in order:
            visit(name)
    return found


def between_folders(root: Path) -> dict[str, set[str]]:
    """folder -> the folders that its own modules import from. A `__main__`, which nothing imports,
    is a folder of its own."""
    paths, graph = paths_of(root), graph_of(root)

    def folder(module: str) -> str:
        path = paths[module].relative_to(root)
        return str(path if path.name == "__main__.py" else path.parent)

    found: dict[str, set[str]] = {}
    for module, others in graph.items():
        own = folder(module)
        found.setdefault(own, set()).update({folder(other) for other in others
                                             if not f"{module}.".startswith(f"{other}.")} - {own})
    return found


def overfull(root: Path) -> dict[str, int]:
    """folder -> its modules, where they are too many; but for one that holds a file per kind."""
    held: dict[str, list[Path]] = {}
    for path in paths_of(root).values():
        folder = path.parent.relative_to(root).as_posix()
        if (path.name not in ("__init__.py", "__main__.py")
                and (folder not in OF_KINDS or path.name.startswith("_"))):
            held.setdefault(folder, []).append(path)
    return {folder: len(files) for folder, files in held.items() if len(files) > MOST}


def on_satellites(root: Path) -> list[tuple[str, str]]:
    """(module, module of a satellite that it imports), but for a satellite's own and those that it
    needs."""
    apart = {path.parent.name for path in root.glob("*/satellite.py")}

    def alien(module: str, other: str) -> bool:
        here, there = module.split(".")[0], other.split(".")[0]
        return there in apart - {here, *needs_of(root / here)}

    return sorted((module, other) for module, others in graph_of(root).items()
                  for other in others if alien(module, other))


def misplaced_help(root: Path) -> list[tuple[str, str]]:
    """(folder, command): a folder's help that tells of a command which another one offers, by a
    text or by a line of the usage."""
    owner = {name: path.parent.name for path in root.glob("*/satellite.py")
             for one in [run_path(str(path))["SATELLITE"]] for name in (*one.commands, *one.starts)}
    told = []
    for path in root.glob("*/help/*.txt"):
        folder, text = path.parts[-3], path.read_text(encoding="utf-8")
        names = (re.findall(r"^\d+   ([a-z-]+) ", text, re.MULTILINE) if path.stem == "usage"
                 else [path.stem if path.stem in owner else path.stem.partition("-")[0]])
        told += [(folder, name) for name in names]
    return sorted((folder, name) for folder, name in told
                  if owner.get(name, "") != (folder if (root / folder / "satellite.py").is_file()
                                             else ""))


def test_no_modules_import_one_another():
    assert circles(graph_of(ROOT)) == []


def test_no_folders_import_from_one_another():
    assert circles(between_folders(ROOT)) == []


def test_no_folder_holds_more_modules_than_one_keeps_in_mind():
    assert overfull(ROOT) == {}


def test_every_folder_says_what_it_is_for():
    assert [str(path) for path in paths_of(ROOT).values()
            if path.name == "__init__.py"
            and not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))] == []


def test_nothing_imports_a_satellite_that_it_does_not_need():
    assert on_satellites(ROOT) == []


def test_the_help_of_a_satellite_s_command_lies_with_the_satellite():
    assert misplaced_help(ROOT) == []


def test_what_is_planted_is_found(tmp_path):
    bare = "from commands.satellites import Satellite\nSATELLITE = Satellite()\n"
    for name, text in {
        "report/__init__.py": "", "plots/__init__.py": "", "plots/drawing/__init__.py": "",
        "course/__init__.py": "", "report/low.py": "def late():\n    from . import high\n",
        "report/high.py": "from .low import late\n", "report/sub/__init__.py": "from importlib "
        "import import_module\nimport_module('course.pages')\n",
        "plots/one.py": "from plots.drawing import style\n", "plots/drawing/style.py": "from plots "
        "import one\n", "plots/drawing/other.py": "from plots import two\n", "plots/two.py": "",
        "course/pages.py": "from report import low\n",
        "course/satellite.py": "from commands.satellites import Satellite\n"
        "SATELLITE = Satellite(commands={'course': '', 'lesson': ''})\n",
        "course/help/usage.txt": "020   course  Pages\n", "course/help/run.txt": "",
        "docs/help/lesson.txt": "", "docs/help/lesson-new.txt": "", "docs/help/run.txt": "",
        "commands/help/usage.txt": "000 Usage:\n010   run  Measures\n030   lesson  One\n",
        "api/__init__.py": "", "api/satellite.py": bare,
        "api/lone.py": "from course import pages\n", "zh/__init__.py": "",
        "zh/satellite.py": bare, "zh/needs.txt": "course\n",
        "zh/right.py": "from course import pages\n",
        **{f"plots/kind_{number}.py": "" for number in range(MOST + 1)},
        **{f"report/sub/part_{number}.py": "" for number in range(MOST + 1)}}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert sorted(circles(graph_of(tmp_path))) == [["plots.drawing.style", "plots.one"],
                                                   ["report.high", "report.low"]]
    assert circles(between_folders(tmp_path)) == [["plots", "plots/drawing"]]
    assert overfull(tmp_path) == {"report/sub": MOST + 1}
    assert on_satellites(tmp_path) == [("api.lone", "course"), ("api.lone", "course.pages"),
                                       ("report.sub", "course"), ("report.sub", "course.pages")]
    assert misplaced_help(tmp_path) == [("commands", "lesson"), ("course", "run"),
                                        ("docs", "lesson"), ("docs", "lesson")]
