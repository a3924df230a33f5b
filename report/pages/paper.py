"""report.pdf: the HTML page set on A4 by WeasyPrint. The same bytes from the same records on the
same system."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn

from markupsafe import Markup

NAME = "report.pdf"
ROOM = "room-"  # before a figure's stem: the box that it is laid into
PT_A_PX = 0.75
# width and height of a figure: within the margins of paged.css, with its caption below
MOST_PT = (508.0, 620.0)


class NoPaper(Exception):
    """No PDF can be made here; the message is one line for the user."""


def _weasyprint() -> Any:
    try:
        import pypdf  # noqa: F401 - lays the figures into the page
        import weasyprint
    except (ImportError, OSError) as error:  # OSError: the package is there, Pango is not
        raise NoPaper(f"{NAME} is left out: WeasyPrint cannot be loaded "
                      f"({str(error).splitlines()[0]}); pip install -r requirements.txt, and apt "
                      "install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0") from error
    return weasyprint


class _Nothing:
    """Fetches nothing: the page must need nothing outside itself."""

    def __call__(self, url: str, *_: object, **__: object) -> NoReturn:
        raise ValueError(f"the report asks for nothing outside itself, but its page names {url}")


def _epoch(made_utc: str) -> str:
    """The date of the latest run, which stands in the fonts cut down for the file."""
    try:
        return str(int(datetime.fromisoformat(made_utc.replace("Z", "+00:00")).timestamp()))
    except ValueError:
        return "0"


@contextmanager
def _dated(made_utc: str) -> Iterator[None]:
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = _epoch(made_utc)
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before


def room_for(figure: Path, most_pt: tuple[float, float] = MOST_PT) -> Markup:
    """The empty box, at most as wide and high as that, which the figure's own PDF is laid into:
    WeasyPrint's drawing of an SVG takes seconds per figure."""
    from pypdf import PdfReader

    box = PdfReader(figure).pages[0].mediabox
    scale = min(most / float(side) for most, side in zip(most_pt, (box.width, box.height)))
    width, height = scale * float(box.width), scale * float(box.height)
    return Markup(f'<p class="drawing" id="{ROOM}{figure.stem}" '
                  f'style="width:{width:.2f}pt;height:{height:.2f}pt"></p>')


def _with_figures(pdf: bytes, pages: list[Any], figures: Path) -> Any:
    """The file with each figure's PDF in the box that was left for it."""
    from pypdf import PdfReader, PdfWriter, Transformation

    writer = PdfWriter(clone_from=BytesIO(pdf))
    for number, page in enumerate(pages):
        for name, (x, y, _, below) in page.anchors.items():
            if not name.startswith(ROOM):
                continue
            path = figures / f"{name.removeprefix(ROOM)}.pdf"
            drawn = PdfReader(path).pages[0]
            scale = (below - y) * PT_A_PX / float(drawn.mediabox.height)
            place = Transformation().scale(scale).translate(x * PT_A_PX,
                                                            (page.height - below) * PT_A_PX)
            writer.pages[number].merge_transformed_page(drawn, place)
    writer.add_metadata({"/Producer": "WeasyPrint"})
    return writer


def write_pdf(make_page: Callable[[], str], folder: Path, made_utc: str) -> None:
    """folder/report.pdf from the page, with the figures of folder/figures. Raises NoPaper where
    WeasyPrint is missing."""
    weasyprint = _weasyprint()
    page = make_page()
    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    with _dated(made_utc):
        made = weasyprint.HTML(string=page, url_fetcher=_Nothing()).render()
        pdf = made.write_pdf(pdf_tags=True,
                             pdf_identifier=hashlib.sha256(page.encode()).hexdigest()[:32].encode())
    _with_figures(pdf, made.pages, folder / "figures").write(folder / NAME)
