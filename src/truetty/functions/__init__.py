"""truetty for agent frameworks: the verbs as functions of language models, and one way to call them."""

from truetty.functions.bash_tool import Bash
from truetty.functions.calls import call
from truetty.functions.result import Result
from truetty.functions.schemas import anthropic, bash, openai, parameters, responses
from truetty.functions.table import VERBS, Parameter, Verb

__all__ = [
    "VERBS",
    "Bash",
    "Parameter",
    "Result",
    "Verb",
    "anthropic",
    "bash",
    "call",
    "openai",
    "parameters",
    "responses",
]
