"""Answers as documents and metrics."""
