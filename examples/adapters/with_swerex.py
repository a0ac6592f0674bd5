"""SWE-ReX with truetty's sessions: `TruettyDeployment()` in place of `LocalDeployment()`. A script is the agent."""

import asyncio

from swerex.exceptions import CommandTimeoutError
from swerex.runtime.abstract import BashAction, BashInterruptAction, CreateBashSessionRequest

from truetty.adapters.swerex import TruettyDeployment

SCRIPT = ["cd /tmp", "pwd", "grep -c root /etc/no-such-file", "sleep 600", "echo still here"]


async def main() -> None:
    deployment = TruettyDeployment(rc=False)
    await deployment.start()
    runtime = deployment.runtime
    await runtime.create_session(CreateBashSessionRequest())
    for command in SCRIPT:
        try:
            seen = await runtime.run_in_session(BashAction(command=command, timeout=2, check="silent"))
            print(command, "->", seen.exit_code, seen.output.strip())
        except CommandTimeoutError:
            await runtime.run_in_session(BashInterruptAction())
            print(command, "-> timed out, and ended")
    await deployment.stop()


if __name__ == "__main__":
    asyncio.run(main())
