"""The anonymity models of the literature, measured on a whole table: how large, diverse and close its groups are."""
