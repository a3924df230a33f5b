"""The sample records of "bench": A/A twins and handicaps, ceilings, counters, resources, costs, and
first calls."""

from __future__ import annotations

from make_data import GPU, WORKSTATION, case_line, noise, run_line, timed, write

ROUNDS = 21
NOISE = {"name": "noise_floor", "title": "What can be told apart", "question": "Is equal code a "
         "tie?", "source": "", "tables": [{"kind": "noise"}, {"kind": "time"}], "figures": []}
EVIDENCE = {
    "name": "evidence", "title": "Why", "question": "Why is each step faster?", "source": "",
    "lines": ["naive, uncoalesced", "naive", "tiled", "register tiled", "cuBLAS"],
    "tables": [{"kind": "gflops"}, {"kind": "resources"}, {"kind": "counters"}], "figures": [
        {"kind": "roofline"}, {"kind": "gflops_vs_size", "group": "gpu"}, {"kind": "time_vs_size"}]}
FIRST = {"name": "first_call", "title": "The first call", "question": "What does it cost?",
         "source": "", "tables": [{"kind": "first_call"}], "figures": [{"kind": "first_call"}]}
PHASES = {"context": 0.21, "allocation": 0.0011,
          "transfer_in": 0.0008, "prepare": 0.00005, "module": 0.045,
          "kernel": 0.0009, "transfer_out": 0.0007}


def ceilings() -> list[dict]:
    """CPU on one core and on all, GPU, and host transfers; one that failed its self-check."""
    found = [("cpu", "fma", "avx2", 1, 60.0, "GFLOP/s"),
             ("cpu", "fma", "avx2", 16, 900.0, "GFLOP/s"),
             ("cpu", "fma", "baseline", 16, 230.0, "GFLOP/s")]
    found += [("cpu", "memory_read", level, threads, value, "GB/s") for level, one,
              every in (("l1", 240.0, 3600.0), ("l2", 110.0, 1700.0), ("l3", 30.0, 400.0),
                        ("dram", 14.0, 180.0)) for threads, value in ((1, one), (16, every))]
    found += [("gpu", "fma", "ffma", 0, 60100.0, "GFLOP/s"),
              ("gpu", "memory_read", "l2", 0, 7300.0, "GB/s"),
              ("gpu", "memory_read", "dram", 0, 4500.0, "GB/s"),
              ("gpu", "memory_copy", "dram", 0, 3900.0, "GB/s"),
              ("gpu", "transfer_to_device", "pinned", 0, 55.0, "GB/s"),
              ("gpu", "transfer_from_device", "pageable", 0, 9.0, "GB/s")]
    return [{"device": device, "what": what, "level": level,
             "threads": threads, "value": value, "unit": unit,
             "how": "a loop; twice the work took 2.00 times the time",
             "trusted": level != "pageable"}
            for device, what, level, threads, value, unit in found]


def run_of(definition: dict, run_id: str, started: str) -> dict:
    costs = [{"device": "gpu", "what": what, "value": value, "unit": "s", "how": "median of 1000"}
             for what, value in (("event_pair", 1.4e-6), ("empty_kernel", 3.1e-6),
                                 ("launch", 2.2e-6), ("launch_and_synchronize", 6.5e-6))]
    return run_line("bench", WORKSTATION, True, definition["name"], definition, run_id, started) | {
        "ceilings": ceilings(), "costs": costs, "gpus": [GPU]}


def cost_line(run: dict) -> dict:
    spent = {"start_up_s": 0.5, "ceilings_s": 4.0, "inputs_s": 1.0, "reference_s": 2.0,
             "prepare_s": 0.5, "pilot_s": 1.0, "verify_s": 3.0, "warm_up_s": 6.0, "settle_s": 1.0,
             "measured_s": 42.0, "other_s": 2.0}
    return {"kind": "cost", "run_id": run["run_id"],
            "experiment": run["experiment"], "wall_s": 63.0, **spent,
            "overhead": (63.0 - 42.0 - 6.0 - 1.0 - 3.0 - 1.0 - 2.0 - 4.0) / 63.0}


def twin_line(run: dict, case: dict) -> dict:
    """The A/A twin of a case: the same code, times of its own."""
    twin = case_line(run, case["group"], case["implementation"], case["parameters"],
                     f"{case['label']} (again)", (case["m"], case["n"], case["k"]),
                     case["gflop_per_s"] * 1.011, samples=len(case["samples_s"]))
    return twin | {"twin_of": case["case_id"]}


def replicas(run: dict) -> list[dict]:
    """Each point plain, twice more under other labels, and 3 % slower; and one twin a group and
    size."""
    lines = []
    for device, name, rate in (("cpu", "cpu.blocked", 30.0), ("gpu", "gpu.tiled", 7000.0)):
        for size in range(256, 256 + 5 * 64, 64):
            shape = (size, size, size)
            for label, more, share in (("plain", {}, 1.0), ("once more", {"replica": 1}, 1.0),
                                       ("and again", {"replica": 2}, 1.0),
                                       ("3 % slower", {"handicap": 0.03}, 1 / 1.03)):
                lines.append(case_line(run, device, name, {"block": 32}, f"{name}, {label}", shape,
                                       rate * share, samples=ROUNDS, **more))
            lines.append(twin_line(run, lines[-4]))
    return lines


def evidence(run: dict) -> list[dict]:
    """A GPU ladder with the causes planted, eleven CPU implementations, one point above its
    ceiling."""
    lines: list[dict] = []
    steps = (("gpu.naive_uncoalesced", "naive, uncoalesced", 700, 0.5, 40, 0),
             ("gpu.naive", "naive", 5200, 0.5, 38, 0), ("gpu.tiled", "tiled", 9000, 8.0, 40, 8192),
             ("gpu.register_tiled", "register tiled", 36000, 32.0, 128, 16384),
             ("gpu.cublas", "cuBLAS", 49000, None, 168, 0))
    for size in (1024, 2048):
        shape, work = (size,) * 3, 2.0 * size**3
        least = 12.0 * size**2
        for name, label, rate, intensity, registers, shared in steps:
            rate *= size / (size + 100)
            lines.append(case_line(
                run, "gpu", name, {}, label, shape, rate, samples=ROUNDS, least_bytes=least,
                moved_bytes=work / intensity if intensity else None, of_ceiling=rate / 60100,
                bound_by="compute", throttled=label == "tiled" and size == 1024,
                throttle_reasons=["power cap"] if label == "tiled" else [],
                resources={} if label == "cuBLAS"
                else {"registers": registers, "spill_bytes": 0, "static_shared_bytes": shared,
                      "dynamic_shared_bytes": 0, "blocks_per_sm": 2, "occupancy": 0.5}))
        for place in range(11):
            rate = 2.0 * 1.7**place * size / (size + 50)
            lines.append(
                case_line(run, "cpu", f"cpu.way{place:02}", {"threads": 16}, f"way {place}", shape,
                          rate, samples=ROUNDS, least_bytes=least, moved_bytes=work / 2**(place % 6)
                          if place < 8 else None, of_ceiling=1.13 if place == 10 else rate / 900,
                          bound_by="memory" if place < 2 else "compute",
                          run_queue_delay_s=1.0 if place == 3 else 0.0, steal_s=0.0,
                          threads_actual=16, cores=list(range(16)), pinned=True, denormals="kept"))
    lines += [twin_line(run, line) for line in (lines[0], lines[5])]
    return lines


def counters(run: dict, lines: list[dict]) -> list[dict]:
    """uncoalesced → naive: sectors per load; → tiled: L2 traffic; → register tiled: instructions; →
    cuBLAS: nothing counted."""
    planted = {"naive, uncoalesced": (17.0, 9e9, 9e8), "naive": (4.0, 8.9e9, 8.9e8),
               "tiled": (4.0, 2e8, 8.5e8), "register tiled": (4.0, 1.9e8, 1.5e8),
               "cuBLAS": (4.0, 1.85e8, 1.45e8)}
    made = []
    for line in lines:
        if line["label"] not in planted or line["m"] != 2048:
            continue
        sectors, l2_bytes, instructions = planted[line["label"]]
        values = {"dram_read_bytes": (4e7, "byte"),
                  "dram_write_bytes": (1.7e7, "byte"), "l2_bytes": (l2_bytes, "byte"),
                  "global_load_sectors_per_request": (sectors, "sector"),
                  "global_store_sectors_per_request": (4.0, "sector"),
                  "shared_load_bank_conflicts": (0.0, "count"),
                  "shared_store_bank_conflicts": (0.0, "count"), "occupancy": (0.5, "1"),
                  "fma_pipe": (line["of_ceiling"], "1"), "tensor_pipe": (0.0, "1"),
                  "instructions": (instructions, "count"), "time_s": (line["median_s"], "s")}
        keep = ("case_id", "experiment", "implementation", "parameters", "label", "group",
                "m", "n", "k")
        made.append(
            {"kind": "counters", "run_id": run["run_id"], **{name: line[name] for name in keep},
             "tool": "ncu 2025.3.0", "kernel": "a_kernel", "metrics": {
                 name: {"value": value, "unit": unit} for name, (value, unit) in values.items()}})
    return made


def first_calls(run: dict) -> list[dict]:
    lines = []
    for name, label, loading, module in (("gpu.naive", "naive, lazy", "lazy", 1.0),
                                         ("gpu.naive", "naive, eager", "eager", 3.0),
                                         ("gpu.cublas", "cuBLAS, lazy", "lazy", 6.0)):
        phases = {phase: [value * (module if phase == "module" else 1.0)
                          * (1 + 0.03 * noise(label, phase, turn)) for turn in range(9)]
                  for phase, value in PHASES.items()}
        totals = [sum(values[turn] for values in phases.values()) + 0.001 for turn in range(9)]
        line = case_line(run, "first", name, {}, label, (1024,) * 3, 1.0, samples=9,
                         scope="first-call", module_loading=loading, first_call_s=phases,
                         steady_s=[0.0009 + 1e-6 * turn for turn in range(9)])
        line = timed(line, totals)
        lines.append(line)
    return lines


def main() -> None:
    run = run_of(NOISE, "b1", "2026-11-20T13:00:00Z")
    write("bench", "noise_floor", [run, *replicas(run), cost_line(run)])
    run = run_of(EVIDENCE, "b2", "2026-11-20T14:00:00Z")
    lines = evidence(run)
    write("bench", "evidence", [run, *lines, cost_line(run), *counters(run, lines)])
    run = run_of(FIRST, "b3", "2026-11-20T15:00:00Z")
    write("bench", "first_call",
          [run, *first_calls(run), {"kind": "what_comes_later", "run_id": "b3"}])
