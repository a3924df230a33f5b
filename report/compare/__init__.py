"""`gemmlab compare`: what it opens with, and its page."""
