"""Every code block of every Markdown file compiles, parses or names what there is, as printed."""

from __future__ import annotations

import pytest
from checks import BUILD, CHECKS, PROGRAM, check
from markdown import ROOT, Block, blocks, blocks_in, files, indented

pytestmark = pytest.mark.skipif(
    not PROGRAM.is_file(),
    reason="GEMMLAB_BUILD_FOLDER names no build: ctest -R python.recipes does",
)


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block.place)
def test_a_block_holds_as_printed(block):
    assert check(block) == [], block.place


@pytest.mark.parametrize("file", files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_code_is_fenced_and_says_what_it_is(file):
    assert indented(file.read_text(encoding="utf-8")) == [], (
        "set it between ```sh (text, toml, ...) and ```"
    )


def test_there_is_something_to_check():
    assert {"README.md"} <= {file.name for file in files()} and (
        BUILD / "compile_commands.json"
    ).is_file()
    assert {"cpp", "cuda", "sh", "toml"} <= {block.info for block in blocks()} & CHECKS.keys()


def planted(info: str, text: str) -> list[str]:
    return check(Block(ROOT / "planted.md", 1, info, text))


def of_readme(name: str) -> str:
    """The block of README.md that is this file."""
    return next(
        block.text for block in blocks() if block.file == ROOT / "README.md" and block.path == name
    )


@pytest.mark.parametrize(
    ("info", "text", "told"),
    [
        (
            "sh",
            "./gemmlab run quick --no-report && ./gemmlab rnu quick",
            "there is no command 'rnu'",
        ),
        (
            "sh",
            "GEMMLAB_BUILD=x ./gemmlab run quick --no-reprot  # a comment",
            "run has no option --no-reprot",
        ),
        (
            "sh",
            "./gemmlab report results | ./gemmlab compare a b --outptu c",
            "compare has no option --outptu",
        ),
        ("sh", "./gemmlab submit my_kernel.cu --rankin", "submit has no option --rankin"),
        ("sh", "./gemmlab explain gpu.tiled --blcok 16", "explain has no option --blcok"),
        ("sh", "./gemmlab check cpu.serail", "there is no implementation cpu.serail"),
        ("sh", "./gemmlab run qiuck", "there is no experiment qiuck"),
        ("sh", "for device in core; do cp a b", "syntax error"),
        ("toml", 'title = "t"\nquestion = ', "Invalid value"),
        (
            "toml",
            'title = "t"\nquestion = "q"\n[[group]]\nname = "g"\nsize = 64\n'
            '[[group.run]]\nimplementation = "cpu.blocked"\nblcok = 8\n',
            "blcok",
        ),
        ("json", '{"a": }', "Expecting value"),
        ("python", "print(", "never closed"),
        ("cmake", "target_link_libraries(program", "CMake Error"),
        ("c", "int status = gemmlab_sgem(0);\nreturn status + nothing;", "nothing"),
        ("cpp", "int twice(int x) { return 2 * y; }", "'y' was not declared"),
        ("", "anything", "not a language"),
        ("console", "$ ls", "not a language"),
    ],
)
def test_a_planted_fault_is_told(info, text, told):
    faults = planted(info, text)
    assert len(faults) > 0 and told in faults[0].replace("‘", "'").replace("’", "'")


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("cpu/gemm/mine.cpp", "const Product& p", "const Problem& p"),
        ("cpu/gemm/mine.cpp", ".summary", ".sumary"),
        ("gpu/gemm/mine.cu", "const Parameters&)", "const Paramters&)"),
        ("gpu/gemm/mine.cu", 'describe({.id = "gpu.mine"', 'describe("gpu.mine"'),
    ],
)
def test_a_recipe_that_has_grown_old_is_told(name, right, wrong):
    text = of_readme(name)
    assert text.count(right) == 1
    assert planted("cuda" if name.endswith(".cu") else "cpp", text.replace(right, wrong))


def test_blocks_are_read_with_their_places_and_whatever_is_before_their_fence():
    text = (
        "Text\n\n1. item:\n\n   ```cpp\n   int x;\n     int y;\n   ```\n\n"
        "```sh\n# cpu/a.sh\nls\n```\n"
    )
    made = list(blocks_in(ROOT / "x.md", text))
    assert [(one.line, one.info, one.text) for one in made] == [
        (5, "cpp", "int x;\n  int y;\n"),
        (10, "sh", "# cpu/a.sh\nls\n"),
    ]
    assert [one.path for one in made] == ["", "cpu/a.sh"]
    with pytest.raises(ValueError, match="never closed"):
        list(blocks_in(ROOT / "x.md", "```sh\nls\n"))


def test_code_without_a_fence_is_found_and_paragraphs_of_lists_are_not():
    assert indented(
        "Text:\n\n    ls\n    cd\n\n- item\n\n    more of it\n\nText\n\n```sh\n\n    ls\n```\n"
    ) == [3]
