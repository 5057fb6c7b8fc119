"""What all games share: the record's head, kernels, drivers and the Game class."""
