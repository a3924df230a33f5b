"""Which hand-ins are alike beyond what chance makes of the same task; a person has to look."""
