"""Records for other tools: tidy CSV (tidy.py) and Google Benchmark's JSON (google_benchmark.py):
`gemmlab export`."""
