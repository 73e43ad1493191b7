"""The server on this machine.

========  =======================================================
launch    a server for the studio, and the address that opens it
_web_app  the web application: page, routes, socket
session   one tab: messages in, answers out
security  token, cookie, Host and Origin, content security policy
========  =======================================================
"""
