"""What a student handed in, as the full file that is judged: the judge adds `solve` where only a
function or a loop was asked for.

The student's lines keep their numbers. What the assignment does not allow becomes an #error at its
line, so that the verdict, the page and the exit status are those of any file that cannot be
built."""

from __future__ import annotations

import itertools
from pathlib import Path

from . import source_words
from .schema import Assignment

MOST_BYTES = 1 << 20
_SOLVE = 'extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {'
_JUDGES_WORDS = frozenset(["extern", "void", "const", "float", "int", "unsigned", "dim3", "solve",
                           "A", "B", "C", "M", "N", "K"])
Complaint = tuple[int, str]  # line, text


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"


def _complaints(assignment: Assignment, source: str) -> list[Complaint]:
    """In the order of the lines."""
    made = source_words.tokens(source)
    found: list[Complaint] = []
    seen = {token.text for token in made if token.kind == "word"}
    found += [(token.line, f"{token.text} is not allowed in this assignment") for token in made
              if token.kind == "word" and token.text in assignment.forbidden_words]
    found += [(1, f"this assignment asks for {word}, which is nowhere in the hand-in")
              for word in assignment.required_words if word not in seen]
    if assignment.allowed_functions is not None:
        found += [(line, (f"{name} is called; functions allowed in this assignment: "
                          f"{_listed(assignment.allowed_functions)}"))
                  for name, line in source_words.calls(source)
                  if name not in assignment.allowed_functions]
    if assignment.allowed_functions is not None or assignment.forbidden_words:
        found += [(token.line, "the operator ## is not allowed in this assignment")
                  for token in made if token.text == "##"]
    if assignment.allowed_headers is not None or assignment.hand_in == "body":
        allowed = assignment.allowed_headers or ()
        found += [(line, (f"<{header}> is included; headers allowed in this assignment: "
                          f"{_listed(allowed)}")) for header, line in source_words.included(source)
                  if header not in allowed or assignment.hand_in == "body"]
    if assignment.hand_in != "file":
        found += [(line, (f"{name} is a word of the lines that the judge adds: give the macro "
                          "another name")) for name, line in source_words.defined_macros(source)
                  if name in _JUDGES_WORDS | {assignment.function}]
        found += _unbalanced(made) + _function_missing(assignment, made)
    return sorted(dict.fromkeys(found))


def _unbalanced(made: list[source_words.Token]) -> list[Complaint]:
    opened: list[int] = []
    for token in made:
        if token.text == "{":
            opened.append(token.line)
        elif token.text == "}" and not opened:
            return [(token.line, "this } closes nothing")]
        elif token.text == "}":
            opened.pop()
    return [(opened[-1], "this { is never closed")] if opened else []


def _function_missing(assignment: Assignment, made: list[source_words.Token]) -> list[Complaint]:
    if assignment.hand_in != "function":
        return []
    name = assignment.function
    there = any(one.text == name and following.text == "("
                for one, following in itertools.pairwise(made))
    kind = "__global__ function" if assignment.device == "gpu" else "function"
    return ([] if there
            else [(1, f"the {kind} {name}(A, B, C, M, N, K) is missing, which the judge calls")])


def _launch(assignment: Assignment) -> str:
    """A call of the student's function."""
    if assignment.block is None:  # on a CPU
        return f"{assignment.function}(A, B, C, M, N, K);"
    across, down = assignment.tile or assignment.block
    x, y = assignment.block
    return (f"{assignment.function}<<<dim3((K - 1) / {across} + 1, (M - 1) / {down} + 1), "
            f"dim3({x}, {y})>>>(A, B, C, M, N, K);")


def error_line(line: int, text: str) -> str:
    """A line that no compiler takes, with what it then says."""
    told = "".join(letter for letter in text if letter.isprintable() and letter not in "\"'\\")
    return f"#line {line}\n#error {told}\n"


def full_text(assignment: Assignment, source: str) -> str:
    """The file that is judged."""
    source = source.removeprefix("\ufeff")
    complaints = "".join(error_line(*one) for one in _complaints(assignment, source))
    if assignment.hand_in == "body":
        # what the student leaves out is no fault of the judge's line
        unused = " ".join(f"(void){name};" for name in "ABCMNK")
        return f"{_SOLVE} {unused}\n#line 1\n{source}\n}}\n{complaints}"
    if assignment.hand_in == "function":
        return f"{source}\n{_SOLVE}\n  {_launch(assignment)}\n}}\n{complaints}"
    return f"{source}\n{complaints}" if complaints else source


def full_skeleton(assignment: Assignment) -> str:
    """The skeleton as it would be judged: what of it stands in all files, the judge's own lines
    among them."""
    return full_text(assignment, (assignment.folder / assignment.skeleton)
                     .read_text(encoding="utf-8", errors="replace"))


def read(file: Path) -> tuple[str, str]:
    """(the file's text, why it is none). A link is not followed: it may lead to another student's
    file."""
    if file.is_symlink() or not file.is_file():
        return "", "what was handed in is not an ordinary file"
    if file.stat().st_size > MOST_BYTES:
        return "", "what was handed in is larger than 1 MiB"
    return file.read_bytes().decode("utf-8", errors="replace"), ""
