"""The server on this machine.

=============  ==================================================
launch         a server for the studio, and what opens its page
_web_app       the web application: page, routes, socket
session        one tab: messages in, answers out
security       tokens, cookie, Host and Origin, content policy
_head_timeout  connections that must bring their request in time
=============  ==================================================
"""
