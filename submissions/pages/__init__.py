"""What `gemmlab submit` writes for people: a page for each submission, and a ranking, from
verdict.json alone."""
