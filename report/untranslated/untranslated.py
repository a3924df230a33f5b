"""What the program says and what is translated, held against each other."""

from __future__ import annotations

import ast
import re
import string
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from commands.satellites import offered
from files.tree import ROOT, packages
from language import LANGUAGES, RECORDS, own_catalogue, recorded, translations, using
from report.asked import registry

SAYERS = ("say", "_text")  # functions whose first argument is a text
JUDGE = "submissions"  # whose pages are translated by files of their own


def braces(text: str | list[str]) -> list[set[str]]:
    """What is filled in, of each form of a text."""
    forms = text if isinstance(text, list) else [text]
    return [
        {name for _, name, _, _ in string.Formatter().parse(form) if name is not None}
        for form in forms
    ]


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
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args)
    return {
        text
        for call in calls
        if getattr(call.func, "id", getattr(call.func, "attr", "")) in SAYERS
        for text in literals(call.args[0])
    }


def sources(*suffixes: str) -> Iterator[Path]:
    """The files of Python that say something."""
    for folder in packages():
        for path in sorted(folder.rglob("*") if folder.name != JUDGE else ()):
            if path.suffix in suffixes:
                yield path


def _trees() -> Iterator[ast.AST]:
    for path in sources(".py"):
        yield ast.parse(path.read_text(encoding="utf-8"))


def implementation_names() -> set[str]:
    """What C++ sources call implementations, and how they tell parameters."""
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for device in ("cpu", "gpu")
        for suffix in ("cpp", "cu")
        for path in sorted((ROOT / device).glob(f"*/**/*.{suffix}"))
    )
    named = re.findall(r'\.id = [^\n]*,\s*\.name = "([^"\n]+)"', code)
    told = re.findall(r'"(, [^"\n]*\{\w+\}[^"\n]*)"', code)
    return {
        *named,
        *(
            text.removeprefix(", ")
            for text in told
            if re.search("[A-Za-z]", re.sub(r"\{\w+\}", "", text))
        ),
    }


def english_texts() -> set[str]:
    """The texts that are their own key.

    Of sources and templates, titles of kinds, chapters, and names of implementations.
    """
    said = {text for tree in _trees() for text in said_in(tree)}
    said |= {
        text
        for path in sources(".j2")
        for text in re.findall(r'\bsay\("([^"]*)"', path.read_text(encoding="utf-8"))
    }
    said |= {kind.title for of in (registry.tables(), registry.figures()) for kind in of.values()}
    said |= {text for texts in offered("texts").values() for text in texts()}
    return (said | implementation_names()) - own_catalogue(LANGUAGES[0]).keys()


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
    """The texts and keys that the language does not have."""
    keys = own_catalogue(LANGUAGES[0]).keys() - own_catalogue(language).keys() - {RECORDS}
    with using(language):
        defined = {
            text
            for text in defined_texts()
            if recorded(text) == text and text not in own_catalogue(language)[RECORDS]
        }
    unknown = defined | (set(said) - translations(language).keys())
    return sorted(
        text for text in unknown if re.search("[a-z]{2}", re.sub(r"\{\w+\}", "", text))
    ) + sorted(keys)


def unsaid(language: str, said: Iterable[str]) -> list[str]:
    """What is translated, and said no longer."""
    constants = {
        node.value
        for tree in _trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    texts = {*constants, *said}
    texts |= {
        re.sub(r" ?\{\w+\}", "", text) for text in texts
    }  # a name whose parameter varies goes without it: naming.py
    keys = own_catalogue(language).keys() - own_catalogue(LANGUAGES[0]).keys()
    return sorted(translations(language).keys() - texts) + sorted(keys)


def unlike(language: str) -> list[str]:
    """Texts whose translation is empty or fills in something else."""
    own, english = own_catalogue(language), own_catalogue(LANGUAGES[0])
    pairs: list[tuple[str, Any, Any]] = [
        (text, text, there) for text, there in translations(language).items()
    ]
    pairs += [
        (key, english[key], own[key])
        for key in own.keys() & english.keys() - {RECORDS, "number.space"}
    ]
    return sorted(
        name
        for name, here, there in pairs
        if not there
        or type(here) is not type(there)
        or sorted(map(sorted, braces(here))) != sorted(map(sorted, braces(there)))
    )
