"""Throughput and strength, measured."""
