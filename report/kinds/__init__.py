"""The kinds of tables, one file each: what a definition may ask for in a [[table]] (see ../kind.py)."""
