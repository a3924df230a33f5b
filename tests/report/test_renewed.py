"""Records of older definitions show the figures that answer their question now."""

import tomllib

import pytest
from sample_records import ROOT

from report.asked.renewed import asked_for

THEN = {"block_size": ["block_size", "block_heatmap", "gflops_vs_size"],
        "transfers": ["time_vs_size"], "thread_scaling": ["thread_scaling"],
        "gpu_peers": ["gflops_vs_size"], "matrix_ladder": ["gflops_vs_size"],
        "matrix_peers": ["gflops_vs_size"],
        "published_paper": ["ladder_bars"]}
TABLES = ("multi_gpu_strong", "multi_gpu_host")


@pytest.mark.parametrize("name", TABLES)
def test_an_older_definition_shows_the_tables_of_todays(name):
    now = tomllib.loads(
        (ROOT / "experiments" / f"{name}.toml").read_text(encoding="utf-8"))["table"]
    assert asked_for({"name": name, "tables": [{"kind": "gflops"}]}, "tables") == now
    assert asked_for({"name": name, "tables": [{"kind": "time"}]}, "tables") == [{"kind": "time"}]


@pytest.mark.parametrize("name,kinds", THEN.items())
def test_an_older_definition_shows_the_kinds_of_todays(name, kinds):
    old = {"name": name,
           "figures": [{"kind": kind, "title": "Its own", "group": "g"} for kind in kinds]}
    now = tomllib.loads(
        (ROOT / "experiments" / f"{name}.toml").read_text(encoding="utf-8"))["figure"]
    assert {spec["kind"] for spec in asked_for(old, "figures")} <= {spec["kind"] for spec in now}
    assert all(spec.get("title") in (None, "Its own") for spec in asked_for(old, "figures"))


@pytest.mark.parametrize("name", ["types_gpu", "types_cpu"])
def test_types_show_what_each_buys_before_their_rates(name):
    """Of older records, too: their energy of float32 stands in that table."""
    now = tomllib.loads((ROOT / "experiments" / f"{name}.toml").read_text(encoding="utf-8"))["table"]
    assert now[0] == {"kind": "types"}
    old = [*now[1:], *([{"kind": "energy"}] if name == "types_gpu" else [])]
    assert asked_for({"name": name, "tables": old}, "tables") == now


def test_any_other_definition_keeps_its_figures():
    for figures in ([{"kind": "block_heatmap"}],
                    [{"kind": "block_size"}, {"kind": "block_heatmap"}], ["nonsense"], []):
        for name in ("block_size", "mine"):
            assert asked_for({"name": name, "figures": figures}, "figures") == figures
    assert asked_for({}, "figures") == []


def test_the_published_paper_s_kernels_stand_over_its_own_naive_one_as_todays_definition_has_them():
    """Their definition's baseline was one that the paper has not, 14 times as slow."""
    now = tomllib.loads((ROOT / "experiments" / "published_paper.toml").read_text(encoding="utf-8"))
    slow = "gpu.naive_uncoalesced"
    over_it = {"kind": "speedup", "baseline": {"implementation": slow}}
    old = {"name": "published_paper", "figures": [{"kind": "ladder_bars", "group": "block 32"}],
           "tables": [over_it, over_it,
                      *({"kind": kind} for kind in ("time", "resources", "counters"))]}
    assert asked_for(old, "tables") == now["table"] and asked_for(old, "figures") == now["figure"]
    assert not any(run["implementation"] == slow for group in now["group"] for run in group["run"])
