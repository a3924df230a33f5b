"""Figures lose the bytes that nobody sees, and nothing else."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from plots.drawing import style
from plots.drawing.svg import compact

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(name="pair")
def _pair(tmp_path):
    """A figure as matplotlib writes it, and made compact."""
    with style.applied():
        figure = style.new_figure(4, 3)
        axes = figure.add_axes((0.2, 0.2, 0.7, 0.7))
        axes.plot([1, 2, 3], [0.123456, 5.5, 2], marker="o")
        axes.set_ylabel("GFLOP/s")
        axes.set_title('id="kept" <!-- and x="1.23456" -->')
        figure.savefig(tmp_path / "plain.svg", format="svg")
    plain = (tmp_path / "plain.svg").read_text(encoding="utf-8")
    return plain, compact(plain)


def _texts(svg):
    return [one.text for one in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_every_text_stays_text_at_its_size(pair):
    plain, small = pair
    assert _texts(small) == _texts(plain) and "GFLOP/s" in _texts(small)
    sizes = [re.findall(r"font-size: ([\d.]+)px", svg) for svg in pair]
    assert (sizes[0] == sizes[1] and len(sizes[0]) > 5
            and "font-family" not in small.replace("<svg font-family", ""))


def test_no_line_moves_by_more_than_a_hundredth_of_a_point(pair):
    places = [[float(number) for path in ElementTree.fromstring(svg).iter(f"{SVG}path")
               for number in re.findall(r"-?\d+\.?\d*", path.get("d"))] for svg in pair]
    assert len(places[0]) == len(places[1]) > 50
    assert max(abs(before - after) for before, after in zip(*places)) <= 0.0051


def test_what_is_referred_to_keeps_its_name(pair):
    plain, small = pair
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', small))
    assert used and used == set(re.findall(r'<(?:path|clipPath)[^>]* id="([^"]+)"', small))
    assert used == set(re.findall(r'(?:href="|url\()#([^")]+)', plain))
    assert "<metadata>" not in small and len(small) < 0.7 * len(plain)
