"""Kinds of tables that rest on the emulator's counts, one file each."""
