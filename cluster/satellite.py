from __future__ import annotations

from commands.satellites import Satellite

SATELLITE = Satellite(commands={"slurm": "cluster.slurm.command:main",
                                "merge": "cluster.merge.command:main"},
                      repeat="cluster.slurm.table:slurm_block",
                      marks={".csv": ("job,task,state,",)})
