"""How a client reaches the verbs: HTTP, WebSockets, the door of a TCP port."""
