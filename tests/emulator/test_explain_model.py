"""The model of a launch's time: cases computed by hand, each bound by one unit; cards; occupancy;
the rule of instructions."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from sample_records import ROOT

from emulator.counts.card import CARDS, CONSTANTS, Card, card_keys, load_card, read_card, residency
from emulator.counts.work import Product, Site, Work, works_of
from emulator.model.model import DRAM, FMA, L2, LSU, TENSOR, WAITING, predict
from files.reading import InputError

SECTORS = 4  # of a coalesced load of 32 floats


def load(requests: float, sectors: float = SECTORS, lines: float = 1, **more) -> Site:
    return Site(line=5, file="", space="global", operation="load", array="A", bytes=4,
                requests=requests, lanes=32 * requests, sectors=sectors * requests,
                least_sectors=SECTORS * requests, lines=lines * requests, **more)


def shared(requests: float, passes: float = 1) -> Site:
    return Site(line=6, file="", space="shared", operation="load", array="As", bytes=4,
                requests=requests, lanes=32 * requests, wavefronts=passes * requests,
                least_wavefronts=requests)


def work(*sites: Site, blocks: int = 1320, **more) -> Work:
    given = {"kernel": "k", "line": 1, "blocks": blocks, "threads": 256, "shared_bytes": 0,
             "sites": sites, "barriers": 0, "multiply_adds": 0, "l2_bytes": 0, "dram_bytes": 0,
             "array_bytes": 0, "sums": 1, "registers": 32}
    return Work(**(given | more))


@pytest.fixture(name="h200")
def _h200() -> Card:
    return load_card("h200")


def test_what_streams_from_dram_takes_its_bytes_over_the_bandwidth(h200):
    bytes_read = 46.59e9
    found = predict(work(load(bytes_read / 128), l2_bytes=bytes_read, dram_bytes=bytes_read,
                         blocks=1_056_000), h200)
    assert found.binding == DRAM
    assert (found.parts[DRAM] == pytest.approx(10e-3, rel=1e-3)
            and found.seconds == pytest.approx(10e-3, rel=0.12))


@pytest.mark.parametrize(("by", "bits", "rate"), [
    ("mma", 16, 1290), ("mma", 32, 645), ("wgmma", 16, 2048), ("wgmma", 8, 4096)])
def test_the_tensor_cores_take_their_products_over_their_rate(h200, by, bits, rate):
    found = predict(work(products=((by, bits, 132 * 1e9),)), h200)
    assert found.binding == TENSOR
    assert found.parts[TENSOR] == pytest.approx(1e9 / rate / 1.98e9, rel=1e-6)
    assert TENSOR not in predict(work(multiply_adds=132e6), h200).parts


def test_a_card_without_the_instruction_is_refused():
    with pytest.raises(InputError, match="multiplies by wgmma of 16 bits, which the NVIDIA T4 has"):
        predict(work(products=(("wgmma", 16, 1e9),)), load_card("t4"))


def test_what_tma_moves_takes_no_cycle_of_the_l1_and_no_load_waits_for_it(h200):
    moved = replace(load(132e6, asynchronous=True), lines=0)
    found = predict(work(moved, l2_bytes=132e6 * 128), h200)
    assert found.parts[LSU] == 0 and found.binding == L2


def test_products_of_the_tensor_cores_are_the_products_multiply_adds():
    counts = {"launches": [{"kernel": "k", "grid": [4, 1, 1], "block": [256, 1, 1],
                            "blocks_run": 2, "sites": [],
                            "products": [{"by": "mma", "bits": 16, "multiply_adds": 1000}]}]}
    (found,) = works_of(counts, Product(64, 64, 64), {})
    assert found.products == (("mma", 16, 2000.0),) and found.multiply_adds == 0


def test_conflicts_take_a_pass_each(h200):
    requests = 132e6
    plain, conflicting = (predict(work(shared(requests, passes)), h200) for passes in (1, 32))
    assert conflicting.binding == LSU
    # 132 SMs, a pass of 128 bytes at 125.3 bytes per cycle, 1.98e9 cycles per second
    assert conflicting.parts[LSU] == pytest.approx(32 * 1e6 * 128 / 125.3 / 1.98e9, rel=1e-6)
    assert conflicting.seconds / plain.seconds == pytest.approx(32, rel=0.05)


def test_an_uncoalesced_load_takes_a_cycle_per_line(h200):
    requests = 132e6
    found = predict(work(load(requests, sectors=32, lines=32)), h200)
    assert found.parts[LSU] == pytest.approx(32e6 / 1.98e9, rel=1e-6)


def test_one_small_block_per_sm_waits_for_memory(h200):
    """1,000 times a load and two barriers by one warp per SM: at least 1,000 latencies of the
    L2."""
    lone = work(load(132 * 1000), blocks=132, threads=32, barriers=2000, l2_bytes=132 * 1000 * 128,
                shared_bytes=200_000)
    found = predict(lone, h200)
    assert (found.binding == WAITING and found.held.blocks == 1
            and found.held.limit == "shared memory")
    assert found.parts[WAITING] > 1000 * 280 / 1.98e9
    more = predict(replace(lone, shared_bytes=1000), h200)
    # there is one block per SM alone
    assert more.held.blocks > 1 and more.seconds == pytest.approx(found.seconds, rel=0.01)
    full = replace(lone, blocks=132 * 8, sites=(load(132 * 8000),), l2_bytes=8 * lone.l2_bytes)
    assert predict(full, h200).seconds > 7 * predict(replace(full, shared_bytes=1000), h200).seconds


def test_an_asynchronous_copy_is_not_waited_for(h200):
    lone = work(load(132_000), blocks=132, threads=32, barriers=2000, l2_bytes=132_000 * 128)
    assert predict(replace(lone, sites=(load(132_000, asynchronous=True),)),
                   h200).seconds < 0.6 * predict(lone, h200).seconds


def test_multiply_adds_alone_run_at_the_peak(h200):
    # 66.9 TFLOP/s
    found = predict(work(multiply_adds=66.9e12 / 64, blocks=132 * 8 * 100), h200)
    assert found.binding == FMA and found.parts[FMA] == pytest.approx(1, rel=0.01)


def test_half_a_wave_leaves_half_the_card_idle(h200):
    full, half = (predict(work(multiply_adds=1e9, blocks=blocks), h200) for blocks in (132, 66))
    assert half.parts[FMA] == pytest.approx(2 * full.parts[FMA]) and half.busiest_share == 1 / 66


@pytest.mark.parametrize("key", card_keys())
def test_every_constant_of_a_card_has_a_value_and_a_source(key):
    read = read_card(CARDS / f"{key}.toml")
    assert set(read) == {*CONSTANTS, "name", "compute_capability"}
    assert all(read[name]["value"] > 0 or name == "shared_bytes_reserved" or "wgmma" in name
               for name in CONSTANTS)
    assert all(len(read[name]["source"]) > 10 for name in CONSTANTS)


def test_a_card_without_a_source_is_refused(tmp_path):
    text = (CARDS / "t4.toml").read_text(encoding="utf-8")
    path = tmp_path / "t4.toml"
    path.write_text(re.sub(r"(?m)^sms = .*", "sms = { value = 40 }", text), encoding="utf-8")
    with pytest.raises(InputError, match="sms needs a value and a source"):
        read_card(path)


def test_there_are_the_cards_that_are_asked_for():
    assert card_keys() == ["a100", "h200", "rtx3090", "rtx4090", "t4"]
    with pytest.raises(InputError, match="there is no card 'h100'"):
        load_card("h100")


def test_the_h200s_constants_are_those_of_its_records(h200):
    """Read again from the records that its sources name."""
    lines = [json.loads(line) for line in (
        ROOT / "data/results/intel-xeon-nvidia-h200/memory.jsonl").read_text().splitlines()]
    run = next(line for line in lines if line["kind"] == "run")
    ceilings = {(one["what"], one["level"]): one["value"] for one in run["ceilings"]
                if one["device"] == "gpu"}
    cases = [line for line in lines if line["kind"] == "case" and line["status"] == "ok"]

    def rate(implementation, unit, dims, options, **parameters):
        return next(case["rates"][unit]
                    for case in cases if case["implementation"] == implementation
                    and case["dims"] == dims and (case.get("options") or {}) == options
                    and parameters.items() <= case["parameters"].items())

    cycles = h200.clock_mhz * 1e-3  # per ns
    assert (h200.sms == run["gpus"][0]["sm_count"]
            and h200.clock_mhz == run["gpus"][0]["clocks"]["sm_mhz"])
    assert h200.l2_bytes == run["gpus"][0]["l2"]
    assert h200.l2_gb_per_s == pytest.approx(ceilings["memory_read", "l2"], rel=0.001)
    assert h200.dram_gb_per_s == pytest.approx(ceilings["memory_read", "dram"], rel=0.001)
    per_sm = h200.sms * h200.clock_mhz * 1e-3  # GB/s of a byte per cycle and SM
    shared_rate = rate("gpu.lanes", "gbyte_per_s", {"warps": 16896, "loads": 4096},
                       {"pattern": "distinct"}, path="shared")
    assert h200.shared_bytes_per_cycle == pytest.approx(shared_rate / per_sm, rel=0.002)
    l1 = rate("gpu.access", "gbyte_per_s", {"n": 8388608}, {"passes": "many"}, path="l1", width=16)
    assert h200.l1_bytes_per_cycle == pytest.approx(l1 / per_sm, rel=0.002)
    for path, bytes_read, latency in (("l1", 32768, h200.l1_latency_cycles),
                                      ("l2", 2097152, h200.l2_latency_cycles),
                                      ("l2", 134217728, h200.dram_latency_cycles),
                                      ("shared", 4096, h200.shared_latency_cycles)):
        assert latency == pytest.approx(rate("gpu.chase", "ns_per_load", {"bytes": bytes_read}, {},
                                             path=path) * cycles, rel=0.02)


@pytest.mark.parametrize("threads,registers,shared_bytes,blocks,limit", [
    (1024, 32, 8192, 2, "threads"), (16, 54, 128, 32, "blocks"), (64, 37, 640, 24, "registers"),
    (256, 128, 33280, 2, "registers"), (128, 255, 49920, 2, "registers"),
    (256, 103, 52224, 2, "registers"), (128, 96, 56832, 4, "shared memory")])
def test_occupancy_is_the_drivers(h200, threads, registers, shared_bytes, blocks, limit):
    """The blocks are those that cudaOccupancyMaxActiveBlocksPerMultiprocessor gave for rungs of the
    ladder; the last is made up."""
    held = residency(h200, threads, registers, shared_bytes)
    assert (held.blocks, held.limit) == (blocks, limit)


def test_multiply_adds_go_to_the_kernel_that_loads_most():
    def launch(line, requests, **more):
        return {"kernel": "", "grid": [4, 1, 1], "block": [256, 1, 1],
                "blocks_run": 2, "barriers": 32, "l2_bytes": 1000, "arrays": [],
                "sites": [{"line": line, "file": "k.cu", "space": "global", "operation": "load",
                           "array": "A", "bytes": 4, "requests": requests, "lanes": 32 * requests,
                           "sectors": 4 * requests}], **more}
    turned, product = works_of({"launches": [launch(3, 10), launch(9, 1000)]},
                               Product(32, 32, 64), {"": 40})
    assert turned.multiply_adds == 0 and turned.registers is None and product.registers == 40
    assert product.multiply_adds == 32 * 32 * 64 / 32  # 4 blocks of 256 threads, an element each
    # half of the blocks were run; 16 warps in them
    assert product.global_loads == 2000 and product.barriers == 2
    assert product.dram_bytes is None


def test_instructions_are_within_a_tenth_of_what_ncu_counts_for_a_tile():
    """gpu.tiled at block 32 and 4096: 3.11 instructions per multiply-add, counted on an H200."""
    steps = 1000.0
    site = {"line": 1, "file": "", "array": "A", "bytes": 4, "lanes": 0}
    tile = work(Site(**site, space="global", operation="load", requests=2 * steps),
                Site(**site, space="shared", operation="store", requests=2 * steps),
                Site(**site, space="shared", operation="load", requests=40 * steps), blocks=1,
                threads=32, barriers=2 * steps, multiply_adds=32 * steps)
    assert tile.instructions / tile.multiply_adds == pytest.approx(3.11, rel=0.1)
