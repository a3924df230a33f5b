from __future__ import annotations

from commands.satellites import Satellite

SATELLITE = Satellite(commands={"slurm": "clusters.slurm.command:main", "merge": "clusters.merge.command:main"},
                      repeat="clusters.slurm.table:slurm_block")
