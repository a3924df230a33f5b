"""What the chapters on tensor cores compute from the rules of the kernels, and how it is drawn."""
