"""Several files of records become one per experiment: those of shards, and those of several
folders."""
