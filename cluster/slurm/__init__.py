"""Sweeps on a cluster by Slurm: the script that submits one, and how its tasks ended."""
