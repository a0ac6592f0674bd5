"""mini-swe-agent in one truetty shell: `environment_class: truetty.adapters.minisweagent.TruettyEnvironment`."""

import os
import tempfile

os.environ.update(MSWEA_SILENT_STARTUP="1", MSWEA_GLOBAL_CONFIG_DIR=tempfile.mkdtemp())

from minisweagent.agents.default import DefaultAgent
from minisweagent.environments import get_environment
from minisweagent.models.test_models import DeterministicModel, make_output

SCRIPT = [
    "cd /tmp && export NAME=truetty",
    "pwd; echo $NAME",
    "read -p 'continue? ' x",
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo done by $NAME",
]


def main() -> None:
    model = DeterministicModel(outputs=[make_output(command, [{"command": command}]) for command in SCRIPT])
    environment = get_environment({"environment_class": "truetty.adapters.minisweagent.TruettyEnvironment"})
    options = {"system_template": "You are an agent.", "instance_template": "{{ task }}", "cost_limit": 0}
    agent = DefaultAgent(model, environment, **options)
    result = agent.run("say who did it")
    for message in agent.messages[2:]:
        print(message["role"], "|", str(message["content"]).strip())
    print(result["exit_status"], "|", result["submission"].strip())
    environment.close()


if __name__ == "__main__":
    main()
