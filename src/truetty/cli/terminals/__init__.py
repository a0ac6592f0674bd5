"""The commands for terminals of the server: each asks the server a question or two, and says the answer.

Rule: what most of them need is imported in milliseconds. None of them imports asyncio.
"""
