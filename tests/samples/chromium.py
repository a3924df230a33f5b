"""Chromium for the tests of the page: opened without a head, what it asked for and complained of
noted."""

from __future__ import annotations

import shutil

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
DESK, PHONE = (1280, 800), (390, 844)

# Per element that has text of its own and is shown: [its tag, its words, the contrast of WCAG with
# what lies behind it].
CONTRASTS = """() => {
  const light = (colour) => {
    const linear = colour.map((part) => part / 255)
      .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const parts = (text) => {  // red, green and blue to 255, and the opacity
    const [first, second, third, alpha = 1] = (text.match(/[\\d.]+/g) || []).map(Number);
    const scale = text.startsWith("color(") ? 255 : 1;
    return [first * scale, second * scale, third * scale, first === undefined ? 0 : alpha];
  };
  const behind = (one) => {
    const layers = [];
    for (let at = one; at && (!layers.length || layers.at(-1)[3] < 1); at = at.parentElement) {
      layers.push(parts(getComputedStyle(at).backgroundColor));
    }
    const over = (below, layer) => below.map((part, at) => part + (layer[at] - part) * layer[3]);
    return layers.reduceRight(over, [255, 255, 255]);
  };
  const found = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent).join(" ").trim();
    const box = one.getBoundingClientRect();
    if (!own || !box.width || !box.height || one.closest("desc, title, script, style, defs")) continue;
    const style = getComputedStyle(one);
    const ink = parts(one instanceof SVGElement ? style.fill : style.color);
    if ([1, 254].some((part) => ink.slice(0, 3).every((own) => own === part))) continue;  // it stands on a bar's colour
    const [low, high] = [light(ink), light(behind(one))].sort((first, second) => first - second);
    found.push([one.tagName.toLowerCase(), own.slice(0, 60), (high + 0.05) / (low + 0.05)]);
  }
  return found;
}"""


def started():
    """A running Chromium; skips the test where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip "
                                     "install -r tests/samples/requirements-browser.txt")
    if BROWSER is None:
        pytest.skip("there is no chromium: apt install chromium")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


def opener(browser):
    """Yields a function that opens a file in a window; `page.asked` lists what it requests,
    `page.problems` what its script complains of."""
    contexts = []

    def opened(path, size=DESK, scheme="light", scripts=True, **more):
        contexts.append(browser.new_context(viewport={"width": size[0], "height": size[1]},
                                            color_scheme=scheme, java_script_enabled=scripts,
                                            accept_downloads=True, **more))
        page = contexts[-1].new_page()
        page.asked, page.problems = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


def within(page, locator):
    """Is all of that element inside the window?"""
    box, size = locator.bounding_box(), page.viewport_size
    return (bool(box) and box["x"] >= -0.5 and box["y"] >= -0.5 and box["x"] + box["width"]
            <= size["width"] + 0.5 and box["y"] + box["height"] <= size["height"] + 0.5)
