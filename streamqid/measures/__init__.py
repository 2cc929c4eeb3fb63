"""How well a set of columns tells rows apart: separation, distinct ratio and their bounds."""
