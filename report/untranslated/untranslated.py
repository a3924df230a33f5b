"""What the program says and what is translated, held against each other."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from commands.program import ask, built_program
from commands.satellites import makers, offered, satellites
from files.tree import ROOT
from language import catalogue, recorded, using
from records.names.naming import HOLE
from report.asked import registry

SAYERS = ("say", "_text")  # functions whose first argument is a text


def entries(language: str) -> dict[str, str]:
    """English text -> its translation; of what is counted the form of one."""
    def one(text: str | Sequence[str] | None) -> str:
        return text if isinstance(text, str) else (text or ("",))[0]

    return {one(message.id): one(message.string) for message in catalogue(language) if message.id}


def braces(text: str) -> set[str]:
    """What is filled in."""
    return set(HOLE.findall(text))


def literals(node: ast.expr) -> list[str]:
    """The texts that an argument may be."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    return (
        [text for part in (node.body, node.orelse) for text in literals(part)]
        if isinstance(node, ast.IfExp)
        else []
    )


def said_in(tree: ast.AST) -> set[str]:
    """Every text that is given to a function that says it, as a literal."""
    said = set()
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and call.args:
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            if name in SAYERS:
                said |= set(literals(call.args[0]))
            elif name == "counted" and len(call.args) > 1:
                said |= {f"{{count}} {thing}" for thing in literals(call.args[1])}
    return said


def sources(*suffixes: str) -> Iterator[Path]:
    """The files of Python that say something."""
    for folder in makers():
        for path in sorted(folder.rglob("*")):
            if path.suffix in suffixes:
                yield path


def _trees() -> Iterator[ast.AST]:
    for path in sources(".py"):
        yield ast.parse(path.read_text(encoding="utf-8"))


def implementation_names(program: str) -> set[str]:
    """What the program calls implementations, and how their names tell parameters."""
    names = set()
    for one in ask(program, "list", "--json")["implementations"]:
        told = (spec["told"].removeprefix(", ") for spec in one["parameters"])
        names |= {one["name"],
                  *(text for text in told if re.search("[A-Za-z]", HOLE.sub("", text)))}
    return names - {""}


def english_texts() -> set[str]:
    """The texts that are their own key.

    Of sources and templates, titles of kinds, chapters, and, where the program is built, names of
    implementations.
    """
    said = {text for tree in _trees() for text in said_in(tree)}
    said |= {
        text
        for path in sources(".j2")
        for text in re.findall(r'\bsay\("([^"]*)"', path.read_text(encoding="utf-8"))
    }
    said |= {kind.title for of in (registry.tables(), registry.figures()) for kind in of.values()}
    said |= {text for texts in offered("texts").values() for text in texts()}
    said |= {text for one in satellites().values() for _, text in one.yours.values()}
    program = built_program()
    return said | (implementation_names(program) if program else set())


def defined_texts() -> set[str]:
    """Titles and questions of the experiments, and the titles of their tables and figures."""
    texts: set[str] = set()
    for path in (ROOT / "experiments").glob("*.toml"):
        definition = tomllib.loads(path.read_text(encoding="utf-8"))
        specs = (*definition.get("table", ()), *definition.get("figure", ()))
        texts |= {
            text
            for text in (
                definition["title"],
                definition.get("question"),
                *(spec.get("title") for spec in specs),
            )
            if text
        }
    return texts


def lacking(language: str, said: Iterable[str]) -> list[str]:
    """The texts that the language does not have."""
    known = entries(language).keys()
    with using(language):
        defined = {text for text in defined_texts() - known if recorded(text) == text}
    unknown = defined | (set(said) - known)
    return sorted(text for text in unknown if re.search("[a-z]{2}", HOLE.sub("", text)))


def unsaid(language: str, said: Iterable[str]) -> list[str]:
    """What is translated, and said no longer."""
    texts = {
        node.value
        for tree in _trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    } | set(said)
    texts |= {f"{{count}} {text}" for text in texts}
    texts |= {
        re.sub(r" ?\{\w+\}", "", text) for text in texts
    }  # a name whose parameter varies goes without it: naming.py
    written = _written()
    return sorted(
        text
        for text in entries(language).keys() - texts
        if not _is_written(text, written)
    )


def _is_written(text: str, written: str) -> bool:
    """Whole, or as the program puts it together: a sentence, or a parameter and its value."""
    parts = re.split(r"\{\w+\}|[;,:] |[()]", text)
    words = text.split()
    return all(part in written for part in parts) or text.replace(" ", "_") in written or (
        len(words) == 2 and all(word in written for word in words)
    )


def _written() -> str:
    """Definitions, records and the sources of C++, whose texts go through recorded()."""
    folders = ("core", "operations", "cpu", "gpu", "runner", "experiments", "data/published",
               "data/results")
    suffixes = (".cpp", ".cu", ".h", ".toml", ".csv", ".jsonl")
    text = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in suffixes
    )
    return re.sub(r'"\s*\n\s*"', "", text).replace('\\"', '"')


def unlike(language: str) -> list[str]:
    """Texts whose translation is empty or fills in something else."""
    return sorted(
        text
        for text, own in entries(language).items()
        if not own or braces(text) != braces(own)
    )
