"""What the emulator counted of a launch, and the cards."""
