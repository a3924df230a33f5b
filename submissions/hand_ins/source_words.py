"""What a source says, word by word: which functions it calls, which headers it includes, which
words stand in it.

A fence against doing the task by other means, not a wall: the judge's own checks keep the results
honest."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPLICE = r"\\\r?\n"
_TOKEN = re.compile(
    rf'(?P<comment>//(?:{_SPLICE}|[^\n])*|/\*.*?(?:\*/|\Z))|(?P<raw>R"(?P<mark>[^()\\\s]{{0,16}})\(.*?\)(?P=mark)")'
    rf'|(?P<text>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|(?P<word>[^\W\d](?:\w|{_SPLICE})*)|(?P<number>\.?\d[\w.\']*)'
    rf'|(?P<space>(?:{_SPLICE}|\s)+)|(?P<sign>\#\#|.)', re.DOTALL)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[ \t]*(.*)$", re.MULTILINE)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*(?:define|undef)[ \t]+(\w+)", re.MULTILINE)
# What may stand before a bracket without being called, and before a call without making a
# declaration of it.
_NOT_CALLED = frozenset(["if", "for", "while", "switch", "return", "sizeof", "alignof", "alignas",
                         "decltype", "noexcept", "catch", "asm", "static_assert", "constexpr",
                         "int", "float", "double", "long", "short", "char", "bool", "unsigned",
                         "signed", "void", "auto", "size_t", "const_cast", "static_cast",
                         "reinterpret_cast", "dynamic_cast", "define", "defined", "pragma",
                         "__attribute__", "__launch_bounds__", "__align__", "operator", "unroll"])
_BEFORE_CALL = frozenset(["return", "else", "do", "throw", "case", "new", "delete", "and", "or",
                          "not", "goto", "if", "co_return", "co_yield"])


@dataclass(frozen=True)
class Token:
    kind: str  # word, number, text or sign
    text: str
    line: int


def tokens(source: str) -> list[Token]:
    made, line = [], 1
    for found in _TOKEN.finditer(source):
        kind = "text" if found.lastgroup == "mark" or found["raw"] else found.lastgroup or "sign"
        if kind not in ("comment", "space"):
            made.append(Token(kind,
                              re.sub(_SPLICE, "", found[0]) if kind == "word" else found[0], line))
        line += found[0].count("\n")
    return made


def without_comments(source: str) -> str:
    """The same lines."""
    return _TOKEN.sub(lambda found: "\n" * found[0].count("\n") if found["comment"] else found[0],
                      source)


def included(source: str) -> list[tuple[str, int]]:
    """(header, line); of `#include MACRO` the macro."""
    text = without_comments(source)
    return [(found[1].strip().strip('<>"').strip(), text.count("\n", 0, found.start()) + 1)
            for found in _INCLUDE.finditer(text)]


def defined_macros(source: str) -> list[tuple[str, int]]:
    """(name, line) of every #define and #undef."""
    text = without_comments(source)
    return [(found[1], text.count("\n", 0, found.start()) + 1) for found in _DEFINE.finditer(text)]


def _closing(made: list[Token], at: int, opening: str = "(", closing: str = ")") -> int:
    """The place of the bracket that closes the one at `at`; the end where none does."""
    depth = 0
    for place in range(at, len(made)):
        depth += (made[place].text == opening) - (made[place].text == closing)
        if depth == 0:
            return place
    return len(made)


def _name_before(made: list[Token], bracket: int) -> int | None:
    """The word that is called by the bracket there: f(, f<int>(, f<<<…>>>(, (f)(."""
    at = bracket - 1
    if at >= 0 and made[at].text == ">":
        depth = 0
        while at >= 0:
            depth += (made[at].text == ">") - (made[at].text == "<")
            at -= 1
            if depth == 0:
                break
    elif (at >= 2 and made[at].text == ")" and made[at - 2].text == "("
          and made[at - 1].kind == "word"):
        at -= 1
    return at if at >= 0 and made[at].kind == "word" else None


def _own_names(made: list[Token]) -> set[str]:
    """Functions that the source defines, lambdas that it names, its function-like macros."""
    names = set()
    for at, token in enumerate(made[:-1]):
        if token.kind != "word":
            continue
        follows = made[at + 1].text
        if follows == "(" and at and made[at - 1].text == "define":
            names.add(token.text)
        elif follows == "(" and at and (made[at - 1].kind == "word" or made[at - 1].text in "*&>"):
            end = _closing(made, at + 1) + 1
            if end < len(made) and made[end].text == "{":
                names.add(token.text)
        elif follows == "=" and at + 2 < len(made) and made[at + 2].text == "[":
            names.add(token.text)
    return names


def calls(source: str) -> list[tuple[str, int]]:
    """(name, line) of each call of what the source does not define itself."""
    made = tokens(source)
    own, found = _own_names(made), []
    for bracket, token in enumerate(made):
        if token.text != "(" or (at := _name_before(made, bracket)) is None:
            continue
        name = made[at].text
        declares = (at > 0 and made[at - 1].kind == "word" and made[at - 1].text not in _BEFORE_CALL
                    and at == bracket - 1)
        if name not in _NOT_CALLED and name not in own and not declares:
            found.append((name, made[at].line))
    return found
