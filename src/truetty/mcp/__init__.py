"""The MCP server: eight tools, one result shape. It translates what `Service` offers; words for models are here."""
