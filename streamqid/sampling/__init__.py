"""Uniform samples of a stream that are a pure function of the log."""
