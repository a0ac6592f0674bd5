"""The MCP server: eight tools, one result shape. It puts what `functions` answers into the protocol."""
