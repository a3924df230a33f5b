"""Imports go one way: no circles, and only one module of report/ knows plots/."""

from __future__ import annotations

import ast
from collections.abc import Container
from pathlib import Path

from conftest import ROOT

PACKAGES = ("report", "plots", "submissions")
ROOT_OF_FIGURES = "report.figures"  # the one module of report/ that imports plots/


def module_of(path: Path, root: Path) -> str:
    name = ".".join(path.relative_to(root).with_suffix("").parts)
    return name.removesuffix(".__init__")


def _named(node: ast.AST, module: str, package: bool, known: Container[str]) -> list[str]:
    """The dotted names that a node imports: by a statement, wherever it stands, or by name (import_module)."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        parts = module.split(".")
        base = parts[:len(parts) - node.level + package] if node.level else []
        origin = ".".join([*base, *([node.module] if node.module else [])])
        return [origin if f"{origin}.{alias.name}" not in known else f"{origin}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return [str(node.args[0].value)] if called in ("import_module", "__import__") else []
    return []


def graph_of(root: Path) -> dict[str, set[str]]:
    """module -> the modules of PACKAGES that it imports; those under `if TYPE_CHECKING` too."""
    paths = {module_of(path, root): path for name in PACKAGES for path in sorted((root / name).rglob("*.py"))}
    graph = {}
    for module, path in paths.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {name for node in ast.walk(tree) for name in _named(node, module, path.name == "__init__.py", paths)}
        graph[module] = (named & paths.keys()) - {module}
        graph[module] |= {parent for name in graph[module] if (parent := name.rpartition(".")[0]) in paths
                          and not module.startswith(parent)}
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


def importers_of_plots(graph: dict[str, set[str]]) -> list[str]:
    return sorted(name for name, others in graph.items()
                  if name.startswith("report") and any(other.split(".")[0] == "plots" for other in others))


def test_no_modules_import_one_another():
    assert circles(graph_of(ROOT)) == []


def test_one_module_of_report_imports_plots():
    assert importers_of_plots(graph_of(ROOT)) == [ROOT_OF_FIGURES]


def test_a_planted_circle_and_a_planted_second_importer_are_found(tmp_path):
    for name, text in {"report/__init__.py": "", "report/figures.py": "import plots\n", "plots/__init__.py": "",
                       "report/low.py": "def late():\n    from . import high\n", "report/high.py": "from .low import late\n",
                       "report/sub/__init__.py": "from importlib import import_module\nimport_module('plots.one')\n",
                       "plots/one.py": "from report import low\n"}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    graph = graph_of(tmp_path)
    assert circles(graph) == [["report.high", "report.low"]]
    assert importers_of_plots(graph) == ["report.figures", "report.sub"]
