"""Making a table safe by suppressing cells, at a stated cost (Liang and Yuan, "On the complexity of t-closeness")."""
