"""Hand-ins as they come: files, folders, Moodle's zips, assignments."""
