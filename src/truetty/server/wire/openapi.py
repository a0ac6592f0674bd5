"""/v1/openapi.json, made from the table of verbs: so it says what is there."""

from __future__ import annotations

from typing import Any

from truetty.core.version import VERSION
from truetty.server import forms, shapes
from truetty.server.fields import Field
from truetty.server.refusals import Refusal
from truetty.server.verbs import VERBS, Verb
from truetty.server.verbs.web import PAGE_ROWS


def describe() -> dict[str, Any]:
    named: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for verb in (*VERBS, *PAGE_ROWS):
        paths.setdefault(verb.path, {})[verb.method.lower()] = _operation(verb, named)
    error = {"type": "object", "properties": {"error": shapes.schema(Refusal, named)}, "required": ["error"]}
    named["Error"] = error
    return {
        "openapi": "3.1.0",
        "info": {"title": "truetty", "version": VERSION, "description": "Terminals that outlive callers."},
        "paths": paths,
        "components": {"schemas": named},
    }


def _operation(verb: Verb, named: dict[str, Any]) -> dict[str, Any]:
    path = [field for field in verb.fields if f"{{{field.name}}}" in verb.path]
    rest = [field for field in verb.fields if field not in path]
    found: dict[str, Any] = {
        "operationId": verb.name,
        "summary": verb.help,
        "parameters": [
            *(_parameter(field, "path") for field in path),
            *(_parameter(field, "query") for field in rest if verb.method == "GET"),
            *([_KEY] if verb.keyed else []),
        ],
        "responses": {
            "200": {"description": "done", "content": {_media(verb): {"schema": _answer(verb, named)}}},
            "default": {
                "description": "refused, or failed",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            },
        },
    }
    if verb.method != "GET" and rest:
        properties = {field.name: _schema(field) for field in rest}
        body = {"type": "object", "properties": properties, "required": [one.name for one in rest if one.required]}
        found["requestBody"] = {"content": {"application/json": {"schema": body}}}
    return found


_KEY: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "the same key and the same fields are carried out once",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{8,64}$"},
}


def _parameter(field: Field, where: str) -> dict[str, Any]:
    schema = {key: value for key, value in _schema(field).items() if key != "description"}
    return {
        "name": field.name,
        "in": where,
        "required": where == "path" or field.required,
        "description": field.help,
        "schema": schema,
    }


def _schema(field: Field) -> dict[str, Any]:
    return {**field.kind.schema, "description": f"{field.help} ({field.kind.allowed})"}


def _media(verb: Verb) -> str:
    if verb.stream:
        return "application/x-ndjson"
    return "application/octet-stream" if verb.answer is forms.Bytes else "application/json"


def _answer(verb: Verb, named: dict[str, Any]) -> dict[str, Any]:
    if verb.answer is forms.Bytes:
        return {"type": "string", "format": "binary"}
    return shapes.schema(verb.answer, named)
