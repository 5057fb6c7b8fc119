"""Games in a browser and in a terminal: play, watch and analyse. The browser needs the extra `web`."""
