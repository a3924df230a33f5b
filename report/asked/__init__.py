"""The tables and figures that a definition asks for, by kind."""
