"""What the page and the server send each other.

=============  =========================================================================
messages       every message that the browser may send, as a schema
message_parts  what messages are made of, and the error for one that cannot be obeyed
panels         operations as panels: what the page needs to draw a card and its controls
catalogue      samples, formats and limits, as the page lists them
wire           JSON and binary frames
=============  =========================================================================
"""
