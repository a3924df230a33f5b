"""Hardware counters of the GPU points of an experiment, through NVIDIA Nsight Compute: `gemmlab
profile`."""
