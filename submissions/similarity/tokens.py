"""C++ and CUDA as tokens, with what is easily changed taken out: comments, layout, names,
numbers."""

from __future__ import annotations

import re
from typing import NamedTuple

_PARTS = re.compile(r"""
    (?P<comment>//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))
  | (?P<include>^[ \t]*\#[ \t]*include[^\n]*)
  | (?P<text>R"(?P<fence>[^()\\\s]{0,16})\(.*?\)(?P=fence)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<number>\.?\d(?:[eEpP][+-]|['.\w])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>\#\#|<<=|>>=|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])
""", re.VERBOSE | re.MULTILINE | re.DOTALL)

# Words that say what is done. All others are names, of which every rewrite has its own.
_KEPT = frozenset(["alignas", "alignof", "asm", "auto", "bool", "break", "case", "catch", "char",
                   "class", "const", "constexpr", "continue", "decltype", "default", "delete", "do",
                   "double", "else", "enum", "extern", "float", "for", "goto", "if", "inline",
                   "int", "long", "namespace", "new", "noexcept", "nullptr", "operator", "private",
                   "public", "register", "reinterpret_cast", "restrict", "return", "short",
                   "signed", "sizeof", "static", "static_cast", "struct", "switch", "template",
                   "this", "throw", "try", "typedef", "typename", "union", "unsigned", "using",
                   "void", "volatile", "while", "pragma", "omp", "parallel", "collapse", "simd",
                   "schedule", "reduction", "define", "ifdef", "ifndef", "endif", "__global__",
                   "__device__", "__shared__", "__restrict__", "__syncthreads", "__launch_bounds__",
                   "threadIdx", "blockIdx", "blockDim", "gridDim", "float4", "size_t", "int64_t"])


class Token(NamedTuple):
    kind: str  # the word or sign itself, "name", "number" or "text"
    line: int  # from 1


def tokens_of(source: str) -> list[Token]:
    """What is left of a file; `#include` lines are left out: all files of a task have the same
    ones."""
    made, line, seen = [], 1, 0
    for part in _PARTS.finditer(source):
        line += source.count("\n", seen, part.start())
        seen = part.start()
        kind = (part.lastgroup or "text").replace("fence", "text")
        if kind in ("comment", "include"):
            continue
        if kind in ("sign", "word"):
            word = part.group()
            kind = word if kind == "sign" or word in _KEPT else "name"
        made.append(Token(kind, line))
    return made
