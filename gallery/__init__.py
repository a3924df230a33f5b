"""Records of many machines: one page with a row for each, and what one sends to be in it."""
