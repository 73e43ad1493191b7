"""How the records of an FBX file are spelled.

=============  =============================================================================
records        The records of a file, each checked against the bytes that are really there
_text_records  The same from text (ASCII)
binary_writer  Records to a binary file
text_writer    Records back into a text file
=============  =============================================================================
"""
