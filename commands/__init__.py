"""What every command of the Python side shares: its parser, its end, its signals, its progress
line."""
