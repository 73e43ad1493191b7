"""The editor in the browser: a local server that holds the documents, and the page that draws them.

=============  ==================================================================================
app            the web application: routes, the socket, the page
launch         a server for it on this machine
security       token, cookie, Host and Origin, content security policy
wire           binary frames
messages       every message that the browser may send, as a schema
session        one socket: messages in, answers out
commands       what each message does
studio         what a server holds: documents, rooms, threads, jobs
stack          source, inputs, steps and markers of a motion, as a value
history        undo and redo, and drags that become one step
documents      motions and drawings by their ids
autosave       documents on the disk
origins        samples, files of the folder, uploads
evaluate       a stack to its motion, step by step, with a cache
windows        the frames in view first
rooms          a document that somebody looks at
motions        a motion, worked out for the tabs that show it
drawings       two drawings and the film between them
quality        measures and contacts, before and after
questions      what panels ask for: bands, curves, warps ...
panels         operations as panels
jobs           long work with progress and cancel
exports        files, films and recipes out
=============  ==================================================================================

The protocol between server and page is told in ``docs/studio/protocol.md``.
"""
