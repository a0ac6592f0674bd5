"""Every number that bounds what a client may ask of the server."""

from __future__ import annotations

from typing import Final

MB: Final = 1 << 20

# -- of one request

LARGEST_BODY: Final = 16 * MB  # of a request, and of a message on /v1/connect
LONGEST_COMMAND: Final = MB  # characters
LONGEST_TEXT: Final = 64 << 10  # characters that one call types
LARGEST_HEAD: Final = 16 << 10  # bytes: the request line and the headers
LONGEST_URL: Final = 4 << 10
LARGEST_READ: Final = MB  # bytes of output or transcript in one answer; a client reads on at the next offset
LARGEST_TEXT_ANSWER: Final = 16 * MB  # bytes of output that are given as text without a budget
LONGEST_POLL: Final = 60.0  # seconds of a wait over plain HTTP; the client asks again
LONGEST_NAME: Final = 100  # characters of a terminal's name, a task's, or a client's
MOST_VARIABLES: Final = 4096  # in an environment
LONGEST_SHARE: Final = 7 * 24 * 3600  # seconds for which a link to a terminal works

# -- of the disk

AGAIN_SECONDS: Final = 1.0  # what had no room is tried again after so long

# -- of connections

MOST_CONNECTIONS: Final = 256
MOST_OF_ONE_CLIENT: Final = 64  # connections of /v1/connect by clients of one name
FIRST_REQUEST_SECONDS: Final = 10.0
NEXT_REQUEST_SECONDS: Final = 60.0
PING_SECONDS: Final = 25.0
PONG_SECONDS: Final = 20.0
MOST_CALLS: Final = 64  # of one connection that are being carried out
MOST_CALLS_IN_ALL: Final = 512
MOST_WAITS: Final = 1000  # calls of one connection that only wait
MOST_CALLERS: Final = 1000  # names of callers on one connection

# -- of live views

VIEW_TICK_SECONDS: Final = 0.033  # between two frames; a screen is drawn 30 times a second
VIEW_FRAME: Final = 64 << 10  # bytes of one frame; more in a tick is a flood, of which a picture is sent
VIEW_WINDOW: Final = 256 << 10  # bytes that a viewer has not acknowledged
PICTURE_SECONDS: Final = 0.1  # between two pictures
PICTURE_SHARE: Final = 0.1  # of the time, at most, pictures of one view are drawn
CALM_SECONDS: Final = 0.3  # after a flood, pictures are sent for so long
ACKNOWLEDGE_SECONDS: Final = 30.0
LARGEST_PICTURE: Final = 4 * MB  # characters; a larger one is plain text
LARGEST_FRAME: Final = MB  # characters or bytes of a message by a viewer
MOST_VIEWERS: Final = 16  # of one terminal
MOST_VIEWERS_IN_ALL: Final = 64
MOST_LISTENERS: Final = 128  # WebSockets of /v1/events

MOST_QUESTIONS: Final = 64  # that are open

# -- of what is remembered

MOST_EVENTS: Final = 10_000
MOST_EVENT_BYTES: Final = 8 * MB
MOST_BEHIND: Final = 1000  # events; a listener that is further behind gets a reset
EVENT_SECONDS: Final = 0.01  # for which an event may wait for others on /v1/connect; a person does not see it
HEARTBEAT_SECONDS: Final = 15.0
PROGRESS_SECONDS: Final = 1.0  # between two `progress` events of a command
MOST_KEYS: Final = 1000
KEY_SECONDS: Final = 24 * 3600.0

# -- of the process

IDLE_SECONDS: Final = 600.0  # without a terminal and without a client
LEAVING_SECONDS: Final = 0.2  # the same, when the next server waits for its terminals
LAST_WORDS_SECONDS: Final = 1.0  # for answers that are under way when the server ends
LARGEST_LOG: Final = MB
