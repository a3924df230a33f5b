"""What a verdict says, and the marks that it gets."""
