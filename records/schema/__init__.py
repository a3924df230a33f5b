"""What a line of a results file must be, and what older ones leave unsaid."""
