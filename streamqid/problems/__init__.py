"""Quasi-identifier problems, each with its formula, guarantee and conditions."""
