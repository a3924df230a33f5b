"""The pages of submissions: what they say, and that nothing a student wrote can do harm in them."""

import csv
import hashlib
import html.parser
import json
import re

import make_verdicts as make
import pytest

from files import safe
from files.reading import InputError
from submissions.pages.command import write_all
from submissions.pages.page import fenced, prose, prose_html
from submissions.verdicts.verdict import VERDICTS, load

PAGES = ("page.html", "page.md")
WRONG = list(VERDICTS)[2:]


def pages_of(folder, verdict, grading=None):
    """(HTML, Markdown) of one submission."""
    make.write(folder, {"one": verdict})
    write_all(folder / "one", grading)
    return tuple((folder / "one" / name).read_text(encoding="utf-8") for name in PAGES)


def ranking_of(folder, verdicts, grading=None):
    """(rows of the CSV, HTML, Markdown)."""
    make.write(folder, verdicts)
    write_all(folder, grading, ranking=True)
    with (folder / "ranking.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return (rows, (folder / "ranking.html").read_text(encoding="utf-8"),
            (folder / "ranking.md").read_text(encoding="utf-8"))


def refusal(folder):
    """Why no page is written."""
    with pytest.raises(InputError) as refused:
        write_all(folder)
    return str(refused.value)


class Elements(html.parser.HTMLParser):
    """The elements of a page, and its texts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.links = [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name == "href" and tag == "a"]
        assert not any(name.startswith("on") for name, _ in attrs), f"{tag} with {attrs}"

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module", name="course")
def _course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    rows, page, markdown = ranking_of(folder, make.everything(), make.grading())
    return folder, rows, page, markdown


def test_every_page_names_its_verdict_and_its_mark_first(course):
    folder = course[0]
    for name, verdict in make.everything().items():
        page, markdown = ((folder / name / one).read_text(encoding="utf-8") for one in PAGES)
        head = page[page.index("<h1>"):].split("<h2")[0]
        assert (verdict["verdict"] in head and "Mark: " in head
                and verdict["summary"] in Elements(head).text)
        assert verdict["verdict"] in markdown.split("##")[0]


def test_each_verdict_has_a_page(tmp_path):
    make.write(tmp_path, {verdict: make.wrong("w.cpp", verdict) for verdict in WRONG})
    write_all(tmp_path)
    for verdict in WRONG:
        page = (tmp_path / verdict / "page.html").read_text(encoding="utf-8")
        assert f"✗ {verdict}" in page and 'class="verdict bad"' in page


def test_a_failure_is_told_in_the_words_of_the_student(tmp_path):
    for page in pages_of(tmp_path, make.wrong(failures=[make.failure(), make.failure(
            shape=make.sides((1, 24, 9)), got="NaN", expected=0.1, pattern="unwritten")])):
        text = Elements(page).text if page.startswith("<!") else page.replace("\\", "")
        for said in ("M = 3, N = 5, K = 7", "A is M×N = 3×5, B is N×K = 5×7, C is M×K = 3×7",
                     "row 2, column 6", "Right for every square",
                     "Compare the stride of B", "only-squares", "7 of 21 (33 %)",
                     "M = 1, N = 24, K = 9", "NaN",
                     "Wrong at 1 shape (rows × inner × columns): 3×5×7",
                     "./gemmlab submit wrong.cpp --seed 1234 --random-shapes 12 --fresh"):
            assert said in text, said
        assert text.index("M = 3, N = 5, K = 7") < text.index("M = 1, N = 24, K = 9")


def test_compiler_errors_stand_with_their_line(tmp_path):
    for page in pages_of(tmp_path, make.unbuilt()):
        text = Elements(page).text if page.startswith("<!") else page.replace("\\",
                                                                              "").replace("*", "")
        assert ("line 12, column 3: expected ';' before '}' token" in text
                and "A statement before it does not end." in text)
        assert "How fast" not in text and "Nothing of it was run." in text


def test_speed_comes_with_intervals_place_and_what_was_left_out(course):
    folder = course[0]
    page = Elements((folder / "anna" / "page.html").read_text(encoding="utf-8"))
    assert ("64.0 [62.7, 65.3] GFLOP/s at M = 8192, N = 6144, K = 4096: 40 % [39 %, 41 %] of the "
            "library (cpu.openblas)" in page.text)
    assert "slower than cpu.eigen, faster than cpu.blocked" in page.text and "3 of 7" in page.text
    assert ("12.5 ms, a later one 5.00 ms: 2.50 times as long" in page.text
            and page.tags.count("svg") == 1)
    skipped = (folder / "ben" / "page.md").read_text(encoding="utf-8")
    assert "Not timed: predicted to take 187 s a call; at most 10 s is allowed." in skipped
    assert "Not timed at 1 shape (M = 8192, N = 6144, K = 4096)" in skipped


def test_what_the_same_code_comes_apart_is_said(tmp_path):
    for page in pages_of(tmp_path, make.right(noise_floor=0.013)):
        assert "differs by up to 1.3 %" in page or "differs by up to 1.3\\ %" in page
    for page in pages_of(tmp_path, make.right()):
        assert "means nothing" not in page


def test_no_speed_is_shown_of_a_wrong_result(tmp_path):
    told = make.wrong(performance=make.performance("cpu", 123.0), place=make.places("cpu", 123.0),
                      first_call={"shape": make.sides((512, 512, 512)), "first_s": 0.01,
                                  "steady_s": 0.005})
    for page in pages_of(tmp_path, told):
        assert ("123" not in page.replace("1234", "") and "GFLOP/s" not in page
                and "first call" not in page.lower())
    assert not (tmp_path / "one" / "performance.svg").exists()


def test_the_figure_of_an_earlier_verdict_goes(tmp_path):
    pages_of(tmp_path, make.right())
    assert (tmp_path / "one" / "performance.png").exists()
    pages_of(tmp_path, make.wrong())
    assert not list((tmp_path / "one").glob("performance.*"))


def test_less_precision_is_said_beside_the_speed(course):
    text = (course[0] / "gina" / "page.md").read_text(encoding="utf-8")
    assert "not a fair race" in text and "tf32" in text and "≈ reduced-precision" in text


def test_pages_are_the_same_bytes_twice(tmp_path, course):
    make.write(tmp_path, make.everything())
    write_all(tmp_path, make.grading(), ranking=True)
    written = [path for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    assert len(written) > 25
    for path in written:
        first = course[0] / path.relative_to(tmp_path)
        assert (hashlib.sha256(path.read_bytes()).digest()
                == hashlib.sha256(first.read_bytes()).digest()), path.name


EVIL = "<script>alert(1)</script>.cpp"
EVIL_MARKDOWN = ("](javascript:x) | `` **b** <img src=x onerror=x> ![i](http://e.x/i) https://e.x "
                 "\u202egnp.cpp")


def poisoned():
    """A verdict with markup in every text that a student can have written."""
    made = make.right(EVIL, "gpu", 21000.0, notes=[EVIL, EVIL_MARKDOWN])
    made["build"]["command"] = f"nvcc {EVIL} ``` {EVIL_MARKDOWN}\n# heading"
    made["build"]["messages"] = [{"kind": "warning", "line": 1, "column": 1, "text": text}
                                 for text in (EVIL, EVIL_MARKDOWN)]
    made["build"]["kernels"][0].update(name=EVIL, spill_bytes=8)
    made["resources"][0]["kernel"] = EVIL_MARKDOWN
    made["failures"] = [make.failure(verdict="reduced-precision", explanation=EVIL_MARKDOWN,
                                     hint=EVIL, pattern=EVIL)]
    return made | {"verdict": "reduced-precision", "summary": f"{EVIL} {EVIL_MARKDOWN}"}


def test_markup_in_a_file_name_or_a_message_stays_text(tmp_path):
    make.write(tmp_path, {"<img src=x onerror=alert(1)>": poisoned(),
                          "javascript:alert(1)": poisoned() | {"submission": EVIL_MARKDOWN}})
    write_all(tmp_path, make.grading(), ranking=True)
    made = [*tmp_path.rglob("*.html")]
    assert len(made) == 3
    for path in made:
        page = Elements(path.read_text(encoding="utf-8"))
        assert not {"script", "img"} & set(page.tags) and "\u202e" not in page.text
        assert "\\u202e" in page.text and "<script>alert(1)</script>.cpp" in page.text
        assert all(re.fullmatch(r"ranking\.csv|[\w%.~-]+/page\.html", link)
                   for link in page.links), page.links
    for path in tmp_path.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        outside = re.sub(r"(?ms)^(`{3,})\n.*?^\1$", "", text)  # what is fenced is shown as it is
        assert not re.search(r"<(?!br)[a-z/]", outside) and "\u202e" not in text
        for link in re.findall(r"(?<!\\)\]\(([^)]*)\)", outside):
            assert re.fullmatch(r"ranking\.csv|performance\.(svg|png)|[\w%.~-]+/page\.html",
                                link), link
        assert not re.search(r"(?<!\\)https?://", outside) and "\n# heading" not in text


def test_no_fence_can_be_closed_from_within():
    assert fenced("a ```` b").splitlines() == ["`````", "a ```` b", "`````"]
    assert fenced("a\n```\nb").splitlines()[1:-1] == ["a ``` b"]


@pytest.mark.parametrize("text", ["# heading", "- item", "1. item", "a|b", "*bold*", "_it_",
                                  "`code`", "[a](b)", "<b>", "$x$"])
def test_markdown_shows_marks_letter_by_letter(text):
    made = safe.markdown(text)
    assert made != text and made.replace("\\", "").replace("&lt;", "<").replace("&gt;", ">") == text


def test_backticks_of_the_judge_s_own_sentences_make_code_of_plain_words_alone():
    assert prose("`#pragma omp for` *x*") == "`#pragma omp for` \\*x\\*"
    assert str(prose_html("put `#pragma omp for` <b>")) == "put <code>#pragma omp for</code> &lt;b&gt;"
    for evil in ("`<b>`", "`http://a`", "`a|b`", "`](x)`"):
        assert prose(evil) == safe.markdown(evil) and "<code>" not in prose_html(evil)


def test_a_formula_in_a_name_is_a_text_in_the_table(tmp_path):
    rows, _, _ = ranking_of(tmp_path, {"=1+1": make.wrong('=HYPERLINK("http://e.x").cpp'),
                                       "b": make.wrong("plain.cpp")})
    assert {row["name"] for row in rows} == {"'=HYPERLINK(\"http://e.x\").cpp", "plain.cpp"}
    assert {row["folder"] for row in rows} == {"'=1+1", "b"}


def test_a_file_name_that_is_no_unicode_and_the_longest_texts_do_not_stop_a_page(tmp_path):
    made = make.wrong("x" * 250 + ".cpp")
    made["failures"][0]["explanation"] = "\ud800 and \x00 " + "long " * 2000
    page, _ = pages_of(tmp_path, made)
    assert "\\ud800 and \\u0000" in page


@pytest.mark.parametrize("change, key, allowed", [
    ({"verdict": "splendid"}, "verdict", "correct, reduced-precision"),
    ({"schema": 9}, "schema", "1"),
    ({"device": "tpu"}, "device", "cpu, gpu"), ({"submission": 3}, "submission", "a text"),
    ({"performance": [{"shape": {"M": 0, "N": 1, "K": 1}}]}, "performance[0].shape.M", ">= 1"),
    ({"failures": [make.failure(verdict="sad")]},
     "failures[0].verdict", "correct, reduced-precision"),
    ({"performance": [make.performance("cpu", 9.0)[0] | {"ci95_s": [2.0, 1.0]}]},
     "performance[0]", "low <= high"),
    ({"failures": 7}, "failures", "a list")])
def test_a_verdict_that_cannot_be_is_refused_in_one_line(tmp_path, change, key, allowed):
    make.write(tmp_path, {"one": make.right() | change})
    said = refusal(tmp_path)
    assert "\n" not in said
    assert "verdict.json" in said and f" {key} = " in said and allowed in said


def test_a_torn_file_and_an_empty_folder_are_refused(tmp_path):
    assert "no verdict.json" in refusal(tmp_path)
    make.write(tmp_path, {"one": make.right()})
    (tmp_path / "one" / "verdict.json").write_text(json.dumps(make.right())[:200])
    assert "not JSON" in refusal(tmp_path)
    assert "no such folder" in refusal(tmp_path / "nowhere")


def test_the_shape_is_read_in_the_words_of_solve(tmp_path):
    make.write(tmp_path, {"one": make.right()})
    shape = load(tmp_path / "one").own[-1].shape
    assert (shape.M, shape.N, shape.K, shape.key) == (8192, 6144, 4096, "8192x6144x4096")


def test_made_up_resources_do_not_stop_a_page(tmp_path):
    forged = [3, None, {"kernel": {"a": 1}, "registers": "many", "occupancy": [1]},
              {"registers": True, "spill_bytes": "8"}, {"kernel": "k" * 9999, "threads": 10**400},
              {"kernel": "real", "registers": 40}] + [{"kernel": "x"}] * 500
    for page in pages_of(tmp_path, make.right("k.cu", "gpu", 21000.0, resources=forged),
                         make.grading()):
        assert "real" in page and "many" not in page and "k" * 201 not in page


def test_counters_stand_with_their_units_and_the_shape(tmp_path):
    for page in pages_of(tmp_path, make.right("k.cu", "gpu", 21000.0), make.grading()):
        assert ("M = N = K = 2048" in page and "dram read bytes" in page and "1,250 MB" in page
                and "50 %" in page)


def test_counters_that_could_not_be_read_are_said_to_be_missing(tmp_path):
    unread = make.right("k.cu", "gpu", 21000.0, counters={}, counters_at=None,
                        counters_missing="ncu was not found")
    for page in pages_of(tmp_path, unread, make.grading()):
        assert "counters, not read" in page and "ncu was not found" in page


def test_the_pages_are_named_when_written(tmp_path, capsys):
    make.write(tmp_path, {"one": make.wrong(), "two": make.unbuilt()})
    write_all(tmp_path, ranking=True)
    assert (capsys.readouterr().out == f"Ranking: {tmp_path}/ranking.html\n"
            f"Pages: {tmp_path}/*/page.html\n")
    write_all(tmp_path / "two")
    assert capsys.readouterr().out == f"Page: {tmp_path}/two/page.html\n"


def test_the_command_to_repeat_is_safe_to_paste_and_complete(tmp_path):
    made = make.wrong("a; rm -rf ~.cpp", rule={"file": "mine.toml", "sha256": "0"},
                      options={"random_shapes": 3, "timing": False, "sanitize": True})
    _, text = pages_of(tmp_path, made)
    assert ("\n./gemmlab submit 'a; rm -rf ~.cpp' --seed 1234 --random-shapes 3 --rule mine.toml "
            "--sanitize --no-timing --fresh\n" in text)
    _, text = pages_of(tmp_path, make.wrong("--json.cpp"))
    assert "submit ./--json.cpp" in text
