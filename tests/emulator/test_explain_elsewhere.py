"""Cards other than the H200: which published times are held against the model, and that its errors
there are stated as they are."""

from __future__ import annotations

import re

import pytest

from commands.satellites import satellites
from emulator.counts.constants import EMULATED
from emulator.model.elsewhere import accuracies, predicted, published
from emulator.model.fit import bars, is_fitted
from emulator.model.ladder import TENSOR_COUNTS, accuracy, points
from records.names.numbers import percent, plain

pytestmark = pytest.mark.skipif("published" not in satellites(), reason="published is not there")


def test_each_published_kernel_of_a_known_card_is_taken_once_in_seconds():
    found = published()
    assert {one.card for one in found} == {"t4", "rtx3090"}
    naive = [one for one in found if one.card == "t4" and one.implementation == "gpu.naive"]
    assert [(one.product.rows, one.seconds) for one in naive] == [(1024, 0.00438), (2048, 0.044),
                                                                  (4096, 0.390)]
    by_rate = next(one for one in found if one.source == "cuda-optimisation-report"
                   and one.implementation == "gpu.naive")
    assert by_rate.seconds == pytest.approx(2 * 5120**3 / 2262.168e9)
    assert len({(one.source, one.card, one.key) for one in found}) == len(found)


def test_all_of_them_are_counted():
    assert {one.key for one in published()} == {one.key for one, _ in predicted()}


def test_the_order_of_kernels_holds_on_other_cards():
    assert all(found.rank_correlation >= 0.9 for found in accuracies().values()), accuracies()


def test_the_readme_states_the_errors_as_they_are():
    of = bars()["fit"]
    own = accuracy([(point.explanation().seconds, point.seconds)
                    for point in points() if point.seconds and not is_fitted(point, of)])
    tensor = accuracy([(point.explanation().seconds, point.seconds)
                       for point in points(TENSOR_COUNTS)])
    expected = {("NVIDIA H200", "gpu_ladder.jsonl"): own,
                ("NVIDIA H200", "matrix_ladder.jsonl"): tensor} | {
        (card, source): one for (source, card), one in accuracies().items()}
    text = (EMULATED / "README.md").read_text(encoding="utf-8")
    stated = {(row[0], row[1]): row[2:]
              for row in (re.split(r" \| ", line.strip("| \n"))
                          for line in text.splitlines() if line.startswith("| NVIDIA"))}
    assert stated == {key: [str(one.count), percent(one.mean_error), percent(one.worst_error),
                            plain(one.rank_correlation, 3)] for key, one in expected.items()}
