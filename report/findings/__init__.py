"""What heads the section of an experiment, and the sentences below it: section.py asks the kinds of
tables and figures, the others tell what no single kind does."""
