"""What each peer can do, one file a peer; each runs as a worker in an environment of its own, without coven."""
