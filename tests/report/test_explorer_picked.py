"""The explorer in headless Chromium, given files that are not what it saves: each is refused by
name, and nothing of it is drawn."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random

import pytest
from explorer_pages import _browser, _files, _open_page, all_rows_of, choose  # noqa: F401
from hostile import changed, places
from sample_records import read

from report.explorer import payload

BAD = (None, "x", -1, 10**6, 0.5, [], {}, [None], True, "</script><b>", "NaN")
EVERY = 130  # mutations, of some eighty fields
UNFIT = {"empty.json": "", "text.txt": "notes", "cut.json": '{"kind": "gemmlab explorer"',
         "list.json": "[1]", "page.html": "<html></html>",
         "packed.html": '<script id="explorer-records">AAAA</script>'}

ADD = """async ([name, content]) => {
  const input = document.querySelector(".x-file input"), told = document.querySelector(".x-problem"), list = new DataTransfer();
  const drawn = document.querySelector("#explorer").dataset, before = drawn.drawn;
  told.textContent = "";
  list.items.add(new File([content], name));
  input.files = list.files;
  input.dispatchEvent(new Event("change"));
  for (let turn = 0; turn < 400 && !told.textContent; turn++) await new Promise((done) => setTimeout(done, 5));
  const first = told.textContent;
  for (let turn = 0; turn < 600 && first.startsWith("Added") && drawn.drawn === before && told.textContent === first; turn++) {
    await new Promise((done) => setTimeout(done, 5));
  }
  return told.textContent;
}"""


@pytest.fixture(scope="module", name="sound")
def _sound():
    """A payload of another machine's runs."""
    part = read("workstation")
    part.experiments = [one for one in part.experiments if one.name == "quick"]
    return json.loads(json.dumps(payload.payload_of(part)))


def mutations(sound, count):
    random = Random(40)
    where = list(places(sound))
    for number in range(count):
        place, bad = where[number % len(where)], random.choice(BAD)
        yield place, bad, changed(sound, place, bad)
    for place in (("columns", "variant", 0), ("columns", "shape", 0), ("columns", "run", 0)):
        for bad in (-1, 10**6, 0.5, None):
            yield place, bad, changed(sound, place, bad)
    for name in ("columns", "samples"):
        for column in sound[name]:
            if isinstance(sound[name][column], list):
                short = deepcopy(sound)
                short[name][column] = short[name][column][:-1]
                yield (name, column), "one less", short


def test_no_picked_file_is_taken_in_part_stops_drawing_or_fails_without_a_word(open_page, sound):
    page = open_page("e=quick&x=shape", "laptop")
    before, refused = len(all_rows_of(page)), 0
    for name, content in UNFIT.items():
        assert page.evaluate(ADD, [name, content]).startswith(f"{name}: neither"), name
    for number, (place, bad, made) in enumerate(mutations(sound, EVERY)):
        for run in made["runs"] if isinstance(made.get("runs"), list) else ():
            if isinstance(run, dict) and isinstance(run.get("id"), str):
                run["id"] += f" {number}"  # never known already
        told = page.evaluate(ADD, [f"{number}.json", json.dumps(made)])
        assert told.startswith((f"{number}.json: neither", "Added: ",
                                "These records are here")), (place, bad, told)
        refused += told.startswith(f"{number}.json")
    assert page.problems == [] and refused > EVERY / 2
    choose(page, e="quick", x="shape", h="all")
    assert len(all_rows_of(page)) >= before
    assert "could not" not in page.locator(".x-problem").inner_text()
