"""What the program says and what is translated, held against each other: `python -m
report.untranslated`."""
