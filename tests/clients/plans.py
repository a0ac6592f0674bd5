"""How each client is started without a terminal and without a network: command, variables, and files in its home."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.clients.script import CUT

HERE = Path(__file__).resolve().parent
PACKAGES = HERE / "programs" / "node_modules"
MACHINE = {"aarch64": "arm64", "x86_64": "x64"}.get(platform.machine(), platform.machine())
NODE = PACKAGES / f"node-linux-{MACHINE}" / "bin" / "node"


@dataclass(frozen=True, slots=True)
class Plan:
    command: tuple[str | Path, ...]
    environ: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)  # in its home
    setup: str | None = None  # `truetty setup NAME`
    entry: str = ""  # the file in which that writes
    change: tuple[str, str] = ("", "")  # a text there, and what stands in its place for the test


def codex(port: int) -> Plan:
    config = f"""model = "scripted"
model_provider = "local"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.local]
name = "local"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
request_max_retries = 0
stream_max_retries = 0
"""
    name = {"arm64": "aarch64", "x64": "x86_64"}[MACHINE]
    program = PACKAGES / f"@openai/codex-linux-{MACHINE}/vendor/{name}-unknown-linux-musl/bin/codex"
    file = ".codex/config.toml"
    return Plan(
        (program, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "go"),
        {"LOCAL_KEY": "x"},
        {file: config},
        "codex",
        file,
        ("tool_timeout_sec = 120", f"tool_timeout_sec = {CUT}"),
    )


def _settings(kind: str) -> str:
    """Gemini's, and those of Qwen, which comes from it."""
    settings = {
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
        "telemetry": {"enabled": False},
        "security": {"auth": {"selectedType": kind}},
    }
    return json.dumps(settings, indent=2)


def gemini(port: int) -> Plan:
    program = PACKAGES / "@google/gemini-cli/bundle/gemini.js"
    file = ".gemini/settings.json"
    return Plan(
        (NODE, program, "-p", "go", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"),
        {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}"},
        {file: _settings("gemini-api-key")},
        "gemini",
        file,
        ('"args"', f'"timeout": {CUT * 1000}, "args"'),
    )


def qwen(port: int) -> Plan:
    """Without a time-out: when a call reaches one, Qwen starts the server anew and makes the call again, thrice."""
    file = ".qwen/settings.json"
    return Plan(
        (NODE, PACKAGES / "@qwen-code/qwen-code/cli.js", "-p", "go", "--yolo", "--auth-type", "openai"),
        {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_MODEL": "scripted"},
        {file: _settings("openai")},
        "qwen",
        file,
    )


def opencode(port: int) -> Plan:
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 2_000_000, "output": 8000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "x"},
        "models": {"scripted": model},
    }
    config = {
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
        "enabled_providers": ["local"],
        "provider": {"local": provider},
        "model": "local/scripted",
        "small_model": "local/scripted",
    }
    file = ".config/opencode/opencode.json"
    unwanted = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    return Plan(
        (PACKAGES / f"opencode-linux-{MACHINE}/bin/opencode", "run", "--model", "local/scripted", "go"),
        {f"OPENCODE_DISABLE_{name}": "1" for name in unwanted},
        {file: json.dumps(config, indent=2)},
        "opencode",
        file,
        ('"timeout": 30000', f'"timeout": {CUT * 1000}'),
    )


def framework(name: str, environment: str) -> Callable[[int], Plan]:
    python = HERE / "environments" / environment / ".venv" / "bin" / "python"

    def plan(port: int) -> Plan:
        address = f"http://127.0.0.1:{port}"
        environ = {"MODEL": address, "OPENAI_API_KEY": "x", "GOOGLE_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": address}
        quiet = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "LANGSMITH_TRACING": "false", "OTEL_SDK_DISABLED": "true"}
        return Plan((python, "-W", "ignore", HERE / "frameworks.py", name), {**environ, **quiet, "HF_HUB_OFFLINE": "1"})

    return plan


PLANS: dict[str, Callable[[int], Plan]] = {
    "codex": codex,
    "gemini": gemini,
    "qwen": qwen,
    "opencode": opencode,
    "openai-agents": framework("openai-agents", "mcp2"),
    "langchain": framework("langchain", "mcp1"),
    "pydantic-ai": framework("pydantic-ai", "mcp2"),
    "google-adk": framework("google-adk", "mcp2"),
    "smolagents": framework("smolagents", "mcp1"),
    "fastmcp": framework("fastmcp", "mcp2"),
    "autogen": framework("autogen", "mcp1"),
    "agent-framework": framework("agent-framework", "mcp2"),
}
