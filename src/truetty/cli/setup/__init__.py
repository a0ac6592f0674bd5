"""`truetty setup`: our entry in the configuration of MCP clients."""
