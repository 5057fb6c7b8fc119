"""Tournaments, ratings with intervals, evaluations, replays and reports (see docs/rate.md)."""
