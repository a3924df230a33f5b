"""Where time goes around a product: the memory hierarchy, transfers, the first call."""
