"""What pictures of games are drawn with: plain SVG, numpy and numba are not needed."""
