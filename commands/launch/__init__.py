"""What `./gemmlab` does once there is a Python 3.10: by the standard library alone."""
