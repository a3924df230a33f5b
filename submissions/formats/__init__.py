"""Results as other systems read them: `gemmlab submit --format NAME`."""

from . import classroom50, gradescope, junit, moodle

# Each has write(output, folders, grading): files from the verdicts in `folders`, below `output`; it
# prints where they are.
FORMATS = {"gradescope": gradescope, "classroom50": classroom50, "junit": junit, "moodle": moodle}
