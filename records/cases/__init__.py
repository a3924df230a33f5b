"""One point as measured, the experiment and the host that it belongs to, and ratios between
points."""
