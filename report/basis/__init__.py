"""What each sentence with a number rests on: `python -m report.basis RESULTS`."""
