"""Files: reading what somebody gave us, writing what is ours, and texts of others made harmless."""
