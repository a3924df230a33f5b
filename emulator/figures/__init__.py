"""Kinds of figures that rest on the emulator's counts, one file each."""
