"""One core, many faces: the games as other people's stacks expect them."""
