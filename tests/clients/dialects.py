"""How clients speak to a model over HTTP: what a request says, and how calls are answered, whole or as a stream.

Rule 1: no state. Which step is next stands in the request: in the ids of the earlier calls, or in their number where a
        dialect has no ids (Gemini). A client that sends a request again gets the same answer.
Rule 2: a call for a search of tools is no step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.clients.script import strings

SEARCHES = ("tool_search", "ToolSearch")
FINAL = "The script is over."
# What is asked for as JSON is never part of the work: a title, who speaks next, whether the model runs in circles.
ASIDE = json.dumps({"title": "scripted", "next_speaker": "user", "reasoning": "over", "confidence": 0})


@dataclass(frozen=True, slots=True)
class Reading:
    """A result as a model reads it."""

    text: str  # every text in it
    characters: int  # as it was sent

    @classmethod
    def of(cls, sent: object) -> Reading:
        if isinstance(sent, list):  # parts of a message
            sent = "\n".join(str(part.get("text", part)) for part in sent)
        shown = sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False)
        return cls("\n".join(strings(_opened(sent))), len(shown))


def _opened(sent: object) -> object:
    """Some clients put JSON into a text."""
    if isinstance(sent, str) and sent[:1] in "[{":
        try:
            return json.loads(sent)
        except ValueError:
            return sent
    return sent


@dataclass(slots=True)
class Turn:
    """What one request says."""

    tools: dict[str, object] = field(default_factory=dict)
    results: dict[tuple[int, int], Reading] = field(default_factory=dict)  # by step, and place in it
    step: int = 0  # the next one
    searches: int = 0
    stream: bool = False
    aside: bool = False  # wants JSON

    def called(self, id: str) -> None:
        if found := re.search(r"s(\d+)x(\d+)", id):
            self.step = max(self.step, int(found[1]) + 1)
        elif "search" in id:
            self.searches += 1

    def answered(self, id: str, sent: object) -> None:
        """The call may be missing: agent-framework names the response that had it (`previous_response_id`)."""
        if found := re.search(r"s(\d+)x(\d+)", id):
            self.step = max(self.step, int(found[1]) + 1)
            self.results[int(found[1]), int(found[2])] = Reading.of(sent)


Calls = Sequence[tuple[str, object]]  # names and arguments
Events = list[dict[str, Any]]


def identifier(turn: Turn, place: int, name: str) -> str:
    return f"call_search{turn.searches}" if name in SEARCHES else f"call_s{turn.step}x{place}"


class Chat:
    """OpenAI's Chat Completions. smolagents has calls and results as plain messages: the ids stand in the text too."""

    path = r"/chat/completions$"

    def read(self, body: dict[str, Any], path: str) -> Turn:
        turn = Turn(stream=bool(body.get("stream")))
        turn.tools = {tool["function"]["name"]: tool for tool in body.get("tools") or ()}
        turn.aside = (body.get("response_format") or {}).get("type", "text") != "text"
        unanswered: list[str] = []
        for message in body["messages"]:
            content = message.get("content")
            for each in message.get("tool_calls") or ():
                turn.called(each["id"])
            if message["role"] == "tool":
                turn.answered(message["tool_call_id"], content)
            elif message["role"] == "user":
                for id in unanswered:
                    turn.answered(id, content)
                unanswered = []
            elif message["role"] == "assistant" and not message.get("tool_calls"):
                unanswered += re.findall(r"call_s\d+x\d+", json.dumps(content))
                for id in unanswered:
                    turn.called(id)
        return turn

    def write(self, turn: Turn, calls: Calls, text: str) -> Events:
        head = {"id": "chatcmpl-1", "created": 1, "model": "scripted"}
        usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
        made: Events = [
            {
                "id": identifier(turn, place, name),
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for place, (name, arguments) in enumerate(calls)
        ]
        message: dict[str, object] = (
            {"role": "assistant", "content": " ".join(each["id"] for each in made), "tool_calls": made}
            if made
            else {"role": "assistant", "content": text}
        )
        reason = "tool_calls" if made else "stop"
        if not turn.stream:
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return [{**head, "object": "chat.completion", "choices": [choice], "usage": usage}]
        head["object"] = "chat.completion.chunk"
        if made:
            message["tool_calls"] = [{"index": place, **each} for place, each in enumerate(made)]
        return [
            {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
            {**head, "choices": [], "usage": usage},
        ]


class Responses:
    """OpenAI's Responses. Codex has the tools of a server in a namespace, which a call must name."""

    path = r"/responses$"

    def read(self, body: dict[str, Any], path: str) -> Turn:
        turn = Turn(stream=bool(body.get("stream")))
        for tool in body.get("tools") or ():
            if tool["type"] == "namespace":
                turn.tools |= {f"{tool['name']}/{inner['name']}": inner for inner in tool["tools"]}
            else:
                turn.tools[tool.get("name", tool["type"])] = tool
        for item in body["input"] if isinstance(body["input"], list) else ():
            match item.get("type"):
                case "function_call":
                    turn.called(item["call_id"])
                case "function_call_output":
                    turn.answered(item["call_id"], item["output"])
        return turn

    def write(self, turn: Turn, calls: Calls, text: str) -> Events:
        items: Events = []
        for place, (name, arguments) in enumerate(calls):
            space, _, bare = name.rpartition("/")
            made = {"id": f"fc_{turn.step}_{place}", "call_id": identifier(turn, place, name), "name": bare}
            made |= {"namespace": space} if space else {}
            items.append({"type": "function_call", "status": "completed", "arguments": json.dumps(arguments), **made})
        if not items:
            part = {"type": "output_text", "text": text, "annotations": []}
            about = {"id": "msg_1", "role": "assistant", "status": "completed"}
            items.append({"type": "message", "content": [part], **about})
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        response = {
            "id": f"resp_{turn.step}",
            "object": "response",
            "created_at": 1,
            "status": "completed",
            "model": "scripted",
            "output": items,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20, **details},
        }
        if not turn.stream:
            return [response]
        events: Events = [{"type": "response.created", "response": {**response, "output": []}}]
        for index, item in enumerate(items):
            events.append({"type": "response.output_item.added", "output_index": index, "item": item})
            events.append({"type": "response.output_item.done", "output_index": index, "item": item})
        return [*events, {"type": "response.completed", "response": response}]


class Gemini:
    """Google's generateContent. It has no ids: the calls are counted, and results stand in the order of the calls."""

    path = r"models/[^:]+:(?:stream)?[gG]enerateContent$"

    def read(self, body: dict[str, Any], path: str) -> Turn:
        turn = Turn(stream=":stream" in path)
        for tool in body.get("tools") or ():
            turn.tools |= {each["name"]: each for each in tool.get("functionDeclarations", ())}
        turn.aside = (body.get("generationConfig") or {}).get("responseMimeType") == "application/json"
        for content in body["contents"]:
            if any("functionCall" in part for part in content["parts"]):
                turn.step += 1
            answers = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
            for place, answer in enumerate(answers):
                turn.results[turn.step - 1, place] = Reading.of(answer["response"])
        return turn

    def write(self, turn: Turn, calls: Calls, text: str) -> Events:
        parts: Events = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]
        parts = parts or [{"text": text}]
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        return [{"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}]


Dialect = Chat | Responses | Gemini
DIALECTS: tuple[Dialect, ...] = (Chat(), Responses(), Gemini())
