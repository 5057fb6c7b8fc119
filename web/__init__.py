"""The table in a browser and in a terminal: play, watch and analyse. Needs the extra `web` for the browser."""
