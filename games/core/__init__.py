"""What all games share: the first fields of every record, kernels, drivers and the Game class."""
