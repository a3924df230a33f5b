"""Records in, tables, figures and a report out. Reads results files only; measures nothing."""
