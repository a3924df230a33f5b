"""`gemmlab explain`: what binds a kernel, and its page."""
