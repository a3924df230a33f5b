"""`gemmlab course`: pages that teach the ladder rung by rung, from records alone."""
