"""What one hands in: a zip with report, figures, tables, records, definitions, versions and
checksums, and its check."""
