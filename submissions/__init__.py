"""`gemmlab submit`: `driver/` finds the files, has each judged by the program gemmlab-judge and
says what came out; `pages/` makes pages, marks and a ranking of the verdicts."""
