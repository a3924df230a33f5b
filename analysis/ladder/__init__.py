"""Ladders and sweeps of one parameter: what each step gains, and why."""
