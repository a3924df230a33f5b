"""What `./gemmlab` does once there is a Python 3.11: by the standard library alone."""
