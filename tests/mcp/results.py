"""What programs read of a tool's result."""

from __future__ import annotations

from typing import Any

import mcp_types as types

from truetty.functions.result import FIELDS
from truetty.mcp.server import RESULT


def data(result: types.CallToolResult) -> dict[str, Any]:
    """What is in `_meta`, with what was left out there: null, or no notes and notices."""
    assert result.structured_content is None and result.meta is not None
    found = result.meta[RESULT]
    assert isinstance(found, dict)
    return {**dict.fromkeys(FIELDS), "notes": [], "notices": [], **found}


def both(result: types.CallToolResult) -> dict[str, Any]:
    """The data, with the text that a model reads."""
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return {**data(result), "text": content.text, "is_error": result.is_error}
