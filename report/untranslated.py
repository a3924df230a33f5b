"""What the program says and what is translated, held against each other: `python -m
report.untranslated`.

GEMMLAB_PROGRAM names a built program, which is asked for what it says.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from commands.program import ask, built_program
from commands.satellites import makers, offered, satellites
from files.tree import ROOT
from language import LANGUAGES, catalogue, recorded, using
from records.names.naming import HOLE
from records.schema.operations import option_text
from report.asked import registry

SAYERS = ("say", "_text")  # functions whose first argument is a text
OF_GPU = ("gpu", None)  # "#: gpu" in a catalogue: only a program built with CUDA says it


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


def names_of(program: str) -> set[str]:
    """What the program calls implementations, how their names tell parameters, and options."""
    known = ask(program, "list", "--json")
    names = {option_text(option["name"], "yes")
             for one in known["operations"] for option in one["options"]
             if option["default"] == "no"}
    for one in known["implementations"]:
        told = (spec["told"].removeprefix(", ") for spec in one["parameters"])
        names |= {one["name"],
                  *(text for text in told if re.search("[A-Za-z]", HOLE.sub("", text)))}
    return names - {""}


def english_texts(program: str) -> set[str]:
    """The texts that are their own key.

    Of sources and templates, titles of kinds, chapters, and names that the program gives, if any.
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
    return said | (names_of(program) if program else set())


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


def unsaid(language: str, said: Iterable[str], program: str) -> list[str]:
    """What is translated, and said no longer: neither by Python nor by that program.

    Of a program built without CUDA, what the catalogue marks as of the GPU is not asked for.
    """
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
    if not ask(program, "info", "--json")["build"]["nvcc"]:
        texts |= {str(message.id) for message in catalogue(language)
                  if OF_GPU in message.locations}
    written = _written(program)
    return sorted(
        text
        for text in entries(language).keys() - texts
        if not _is_written(text, written)
    )


def _is_written(text: str, written: str) -> bool:
    """Whole, or as the program puts it together: a sentence, or a parameter and its value.

    Of a long sentence without its end, which a compiler may hold as numbers in the code.
    """
    parts = re.split(r"\{\w+\}|[;,:] |[()]", text)
    words = text.split()
    return (
        all(part[: max(32, len(part) - 15)] in written for part in parts)
        or text.replace(" ", "_") in written
        or (len(words) == 2 and all(word in written for word in words))
    )


def _written(program: str) -> str:
    """Definitions, records and what the built program holds: their texts go through recorded()."""
    text = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("experiments", "data/published", "data/results")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".toml", ".csv", ".jsonl")
    )
    return text.replace('\\"', '"') + Path(program).read_bytes().decode(errors="replace")


def unlike(language: str) -> list[str]:
    """Texts whose translation is empty or fills in something else."""
    return sorted(
        text
        for text, own in entries(language).items()
        if not own or braces(text) != braces(own)
    )


def main() -> None:
    program = built_program()
    if not program:
        print("GEMMLAB_PROGRAM names no program: what it says is left out")
    said = english_texts(program)
    for language in LANGUAGES[1:]:
        print_texts(f"not in {language}, so shown in English", lacking(language, said))
        if program:
            print_texts(f"in {language}, and said no longer", unsaid(language, said, program))
        print_texts(f"in {language} with other braces, or empty", unlike(language))


def print_texts(what: str, texts: Sequence[str]) -> None:
    print(f"{what}: {len(texts)}", *(f"    {text}" for text in texts), sep="\n")


if __name__ == "__main__":
    main()
