"""The live page: documents, logins, and the door in front of the server's API on a TCP port of this machine.

Rule: it is imported when the page is turned on. The page itself is built from `web/` into `static/`.
"""
