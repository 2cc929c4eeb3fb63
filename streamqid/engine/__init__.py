"""The loop from a source through the sample to the answers."""
