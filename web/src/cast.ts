// An asciicast (version 2 or 3) as a list of moments, with long pauses cut.
//
// Rule: times are whole microseconds. A slider of the browser keeps 15 digits of its value: a sum of seconds with more
//       of them comes back smaller, and what is shown at the very end would be missing.

const LONGEST_PAUSE = 2; // seconds; a longer one is shown as this long
const MICROSECONDS = 1e6; // in a second

export interface Moment {
  readonly at: number; // seconds from the start, pauses cut
  readonly text: string;
  readonly size: readonly [number, number] | null; // the terminal's size changes here
}
export interface Marker {
  readonly at: number;
  readonly label: string;
}
export interface Cast {
  readonly size: readonly [number, number];
  readonly moments: readonly Moment[];
  readonly markers: readonly Marker[];
  readonly duration: number;
}

interface Head {
  version?: number;
  width?: number;
  height?: number;
  term?: { cols?: number; rows?: number };
}

export function readCast(text: string): Cast {
  const [first = "", ...lines] = text.split("\n");
  const head = JSON.parse(first) as Head;
  const size: [number, number] = [head.term?.cols ?? head.width ?? 80, head.term?.rows ?? head.height ?? 24];
  const moments: Moment[] = [];
  const markers: Marker[] = [];
  let at = 0;
  let before = 0;
  for (const line of lines) {
    if (!line.startsWith("[")) continue;
    const [time, kind, data] = JSON.parse(line) as [number, string, string];
    const pause = head.version === 2 ? time - before : time;
    before = time;
    at = Math.round((at + Math.min(Math.max(0, pause), LONGEST_PAUSE)) * MICROSECONDS) / MICROSECONDS;
    if (kind === "o") moments.push({ at, text: data, size: null });
    else if (kind === "m") markers.push({ at, label: data });
    else if (kind === "r") {
      const found = /^(\d+)x(\d+)$/.exec(data);
      if (found !== null) moments.push({ at, text: "", size: [Number(found[1]), Number(found[2])] });
    }
  }
  return { size, moments, markers, duration: at };
}

/** How many of the moments are over at this time. */
export function countUntil(moments: readonly Moment[], at: number): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
