"""What the explorer of report.html costs in Chromium with very many records: opening it (bar: 3 s),
and a change of what is chosen (bar: 200 ms, the median of ten). Needs playwright
(tests/samples/requirements-browser.txt) and Debian's chromium.

The records are those of report_cost.py: 5 experiments of 20 lines over 1,000 sizes. Times are the
browser's own clock, from the start of the page to the marker data-state="ready", and from a choice
to the frame after the drawing.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from report_cost import LABELS, ROOT, write_records

sys.path.insert(0, str(ROOT))

from records.loading import find_files, load
from report.explorer import explorer_html
from report.pages.html import stylesheet

MOST_OPEN_S, MOST_CHANGE_MS = 3.0, 200.0
CHANGES = (("y", "time"), ("y", "speedup"), ("x", "shape"), ("x", "size"), ("e", "cost1"),
           ("y", "share"), ("y", "rate"), ("e", "cost2"), ("y", "eta"), ("y", "time"))
OPENED = """() => new Promise((done) => {
  const root = document.getElementById("explorer");
  const look = () => root.dataset.state === "ready" ? done(performance.now()) : setTimeout(look, 10);
  look();
})"""
CHANGED = """([name, value]) => new Promise((done) => {
  const root = document.getElementById("explorer"), list = root.querySelector(`.x-controls [name=${name}]`);
  const before = root.dataset.drawn, start = performance.now();
  const look = () => root.dataset.drawn === before ? setTimeout(look, 1)
    : requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0));
  list.value = value;
  list.dispatchEvent(new Event("change"));
  look();
})"""


def write_page(folder: Path, records: int) -> Path:
    """The explorer of so many records in a page of its own."""
    write_records(folder, records, 5)
    block = explorer_html(load(folder, find_files(folder)))
    page = folder / "page.html"
    page.write_text("<!DOCTYPE html><html><head><meta "
                    f"charset='utf-8'><style>{stylesheet()}</style></head>"
                    f"<body>{block}</body></html>", encoding="utf-8")
    return page


def measure(page_file: Path) -> tuple[float, list[float]]:
    """(seconds to open, milliseconds of each change)."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=shutil.which("chromium"),
                                          args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(page_file.as_uri())
        opened = page.evaluate(OPENED) / 1000
        changes = [page.evaluate(CHANGED, list(change)) for change in CHANGES]
        browser.close()
    return opened, changes


def main() -> int:
    """0 within both bars, 1 over one of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=100_000,
                        help="how many cases (default 100000)")
    options = parser.parse_args()
    if options.records < LABELS * 5:
        parser.error(f"--records must be at least {LABELS * 5}")
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        page = write_page(Path(folder), options.records)
        made_s, size = time.perf_counter() - begin, page.stat().st_size
        opened, changes = measure(page)
    print(
        f"{options.records:,} records: page of {size / 1e6:.1f} MB, made in {made_s:.1f} s; opens "
        f"in {opened:.2f} s (bar {MOST_OPEN_S:.0f} s); a change takes "
        f"{statistics.median(changes):.0f} ms (bar {MOST_CHANGE_MS:.0f} ms; "
        f"{', '.join(f'{name} {value}: {took:.0f}' for (name, value), took in zip(CHANGES, changes))})")
    return 0 if opened < MOST_OPEN_S and statistics.median(changes) < MOST_CHANGE_MS else 1


if __name__ == "__main__":
    sys.exit(main())
