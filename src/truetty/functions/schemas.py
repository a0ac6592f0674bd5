"""The verbs in the forms that model APIs want.

OpenAI's `strict` makes models keep to a schema exactly. In return every parameter must be required, so those that need
not be there may be null, and no object may have members that are not named.
"""

from __future__ import annotations

from truetty.functions.table import VERBS, Parameter, Verb

Schema = dict[str, object]


def parameters(verb: Verb, *, strict: bool = False, closed: bool = True, nullable: bool = False) -> Schema:
    """As JSON Schema. `strict` is OpenAI's: all are required, and those that need not be there may be null.

    Not `closed`: a client that checks a call against the schema lets other names pass; they are read as ever.
    `nullable`: those that need not be there say so in OpenAPI's way, without which smolagents takes them for required.
    """
    return {
        "type": "object",
        "properties": {each.name: _property(each, strict, nullable) for each in verb.listed},
        "required": [each.name for each in verb.listed if strict or each.required],
        **({"additionalProperties": False} if closed else {}),
    }


def _property(parameter: Parameter, strict: bool, nullable: bool) -> Schema:
    kind = "array" if parameter.type == "strings" else parameter.type
    found: Schema = {"type": [kind, "null"] if strict and not parameter.required else kind}
    if parameter.type == "strings":
        found["items"] = {"type": "string"}
    if nullable and not parameter.required:
        found["nullable"] = True
    description, default = parameter.description, parameter.default
    if default is not None and strict:  # which knows no defaults, so the words say it
        description = f"{description} Default: {default if isinstance(default, str) else f'{default:g}'}."
    elif default is not None:
        found["default"] = default
    return {**found, "description": description}


def openai(*, strict: bool = True, prefix: str = "") -> list[Schema]:
    """For `tools` of OpenAI's Chat Completions, and of the many that speak it."""
    return [{"type": "function", "function": _function(verb, strict, prefix)} for verb in VERBS]


def responses(*, strict: bool = True, prefix: str = "") -> list[Schema]:
    """For `tools` of OpenAI's Responses."""
    return [{"type": "function", **_function(verb, strict, prefix)} for verb in VERBS]


def _function(verb: Verb, strict: bool, prefix: str) -> Schema:
    schema = parameters(verb, strict=strict)
    return {"name": prefix + verb.name, "description": verb.description, "parameters": schema, "strict": strict}


def anthropic(*, prefix: str = "") -> list[Schema]:
    """For `tools` of Anthropic's Messages."""
    return [
        {"name": prefix + verb.name, "description": verb.description, "input_schema": parameters(verb)}
        for verb in VERBS
    ]


def bash() -> list[Schema]:
    """Anthropic's own `bash` tool, whose schema the model knows already; `Bash` answers its calls."""
    return [{"type": "bash_20250124", "name": "bash"}]
