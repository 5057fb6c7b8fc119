"""Who is better, and how sure are we: tournaments, ratings, replays and reports (see docs/rate.md)."""
