"""Sweeps over the machines of a cluster: `gemmlab slurm`, `gemmlab merge`."""
