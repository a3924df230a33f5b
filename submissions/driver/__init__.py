"""The command `gemmlab submit`."""
