"""What the page and the server say to each other.

=================  ================================================================================================
catalogue          What ships with Kinetune and what it can read and write, as the page lists it
message_parts      What messages are made of: names, numbers, sources; and the error for one that cannot be obeyed
messages           Every message that the browser may send, as a schema; whatever does not fit becomes one sentence
panels             Operations as panels: everything the page needs to draw a card and its knobs, from the one
question_messages  Messages of panels that ask, and messages about drawings
=================  ================================================================================================
"""
