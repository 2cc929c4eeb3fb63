"""From the stored values of records to the fingerprints of named columns, of every record and without rows in between.

Three readers give the same bits: ``general`` is the definition, ``plain`` decodes the named fields only, ``compiled``
does the same in machine code.  A record of which a faster reader is not sure is given to the one before it.
"""
