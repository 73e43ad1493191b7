"""The editor in the browser: a local server that holds the documents, and the page that draws them.

==========  ===========================================================================
studio      what a server holds: documents, rooms, threads, jobs
server/     launch, web application, security, one session per tab
protocol/   messages in, answers out, operations as panels, binary frames
documents/  motions and drawings as values, undo, autosave, where clips come from
evaluate/   from a stack of steps to its motion: cache, previews, quality
rooms/      open documents: what each message does, questions of panels, jobs
export/     clips, films, recipes, Python and commands out of the studio
web/        the page: ``core`` draws, ``ui`` is the interface (motion, drawings, shell)
==========  ===========================================================================

A fader drag: ``rooms/commands`` (``step.set``), ``documents/stack``, ``rooms/motion_room``, ``evaluate/windows``.
``docs/studio/protocol.md`` describes the protocol between server and page.
"""
