"""The web server: routes, security, sockets, uploads.

========  =========================================================================================================
launch    A server for the studio on this machine, and the address that opens it
security  Who may come in: this machine, this page, with this launch's token
session   One socket: messages in, in order; answers out, the newest motion first in line
uploads   Files that the browser sends: taken in as a stream, up to a limit, under names that cannot lead elsewhere
web_app   The web application: the page, a few routes, and the socket
wire      Binary frames: ``u32 length | JSON header | zeros up to a multiple of 8 | raw float32``, little-endian
========  =========================================================================================================
"""
