"""Harbor's Terminus agent on truetty: its terminal, driven by keys. A script is the model."""

import asyncio
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from truetty.adapters.harbor import Session

KEYS = ["cd /tmp; pwd\n", "read -p 'name? ' x; echo hi $x\n", "Ann\n", "cat\n", "C-c", "seq 1 3; (exit 3)\n"]


async def main() -> None:
    session = Session()
    await session.start()
    for keys in KEYS:
        await session.send_keys(keys, min_timeout_sec=20.0)
        print(repr(keys), "->", repr(await session.get_incremental_output()))
    try:
        await session.send_keys(["sleep 600", "Enter"], block=True, max_timeout_sec=1.0)
    except TimeoutError as error:
        print(error)
    await session.stop()


if __name__ == "__main__":
    asyncio.run(main())
