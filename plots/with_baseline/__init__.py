"""Kinds of figures for which a definition must give a baseline."""
