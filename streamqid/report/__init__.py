"""Reports as web pages: one file each, with its style inside and nothing from elsewhere.

``html`` builds escaped markup, ``pieces`` are the parts that reports are made of, ``page`` is the frame around them.
Column names are shown, values never are.
"""
