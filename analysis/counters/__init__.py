"""Hardware counters, the roofs, and what a counter's change can account for."""
