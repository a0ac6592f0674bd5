"""inspect_ai in truetty's sandbox: `sandbox="truetty"`. A script is the model."""

import tempfile
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import bash

import truetty.adapters.inspect_ai  # noqa: F401  # makes the sandbox known


def counted(output: ModelOutput) -> ModelOutput:
    """With a usage: without one, the scripted model fetches a tokenizer from the network."""
    output.usage = ModelUsage()
    return output


def call(command: str) -> ModelOutput:
    return counted(ModelOutput.for_tool_call("mockllm/model", "bash", {"command": command}))


def main() -> None:
    outputs: list[Any] = [
        call("echo 42 > answer; ls /no/such"),
        call("cat answer"),
        counted(ModelOutput.from_content("m", "42")),
    ]
    model = get_model("mockllm/model", custom_outputs=outputs)
    task = Task(
        dataset=[Sample(input="What is in the file?", target="42")],
        solver=[use_tools(bash(timeout=20)), generate()],
        scorer=includes(),
        sandbox="truetty",
    )
    log = eval(task, model=model, display="none", log_dir=tempfile.mkdtemp())[0]

    assert log.samples is not None
    for message in log.samples[0].messages:
        if message.role == "tool":
            print(repr(message.text))
    print(log.status, log.results and log.results.scores[0].metrics["accuracy"].value)


if __name__ == "__main__":
    main()
