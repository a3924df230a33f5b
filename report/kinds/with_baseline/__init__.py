"""Kinds of tables for which a definition must give a baseline."""
