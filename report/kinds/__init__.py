"""The kinds of tables, one file each: what a definition may ask for in a [[table]] (see
analysis/tables/kind.py)."""
