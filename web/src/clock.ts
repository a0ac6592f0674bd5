// The system's clock, as link.ts and watching.ts use it.

import type { Clock } from "./link.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  in: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
