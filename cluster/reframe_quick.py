"""ReFrame: `reframe -c cluster/reframe_quick.py -r` measures an experiment (default: quick) on each
system and environment, and logs the rate of every point. Fails where a point is incorrect, crashed
or failed."""

from __future__ import annotations

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable

ROOT = Path(__file__).resolve().parents[2]


@rfm.simple_test
class GemmlabQuick(rfm.RunOnlyRegressionTest):
    """Set with `-S GemmlabQuick.experiment=NAME`; GEMMLAB_BUILD names a finished build."""

    descr = "matrix products on the CPU and, where there is one, on the GPU"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    executable = str(ROOT / "gemmlab")
    exclusive_access = True
    experiment = variable(str, value="quick")

    @run_before("run")
    def name_the_records(self):
        self.executable_opts = ["run", self.experiment, "--no-report", "--output", "records"]

    def lines(self) -> list[dict]:
        path = Path(self.stagedir) / "records" / f"{Path(self.experiment).stem}.jsonl"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def points(self) -> list[dict]:
        """The last record of each point."""
        cases = {line["case_id"]: line for line in self.lines()
                 if line["kind"] == "case" and line["twin_of"] is None}
        return list(cases.values())

    def units(self) -> dict[tuple[str, str], str]:
        """(operation, rate) -> its unit."""
        return {(operation["name"], rate["name"]): rate["unit"] for line in self.lines()
                if line["kind"] == "run" for operation in line["operations"]
                for rate in operation["rates"]}

    @sanity_function
    def every_point_is_right(self):
        bad = [point["label"] for point in self.points()
               if point["status"] in ("incorrect", "crashed", "failed")]
        return sn.all([sn.assert_true(self.points(), msg="no point was measured"),
                       sn.assert_false(bad, msg=f"wrong: {bad}"),
                       sn.assert_eq(self.job.exitcode, 0)])

    @run_before("performance")
    def log_every_rate(self):
        """A figure of merit per point: the first of its rates."""
        self.perf_variables, units = {}, self.units()
        for point in self.points():
            if point["status"] != "ok" or not point["rates"]:
                continue
            rate, value = next(iter(point["rates"].items()))
            shape = "x".join(map(str, point["dims"].values()))
            unit = units[point["operation"], rate]
            self.perf_variables[f"{point['device']} {point['label']} "
                                f"{shape}"] = sn.make_performance_function(sn.defer(value), unit)
