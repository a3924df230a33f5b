"""Assignments as data: one TOML per assignment says what is handed in, by which rule it is judged
and what the task is."""
