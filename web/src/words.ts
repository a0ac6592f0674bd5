// Times, sizes and texts as a person reads them.

export function elapsed(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60)];
  if (hours >= 1) return hours >= 10 ? `${hours} h` : `${hours}:${two(minutes % 60)}:${two(whole % 60)}`;
  return `${minutes}:${two(whole % 60)}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

export function duration(seconds: number): string {
  if (seconds < 10) return `${(Math.round(seconds * 10) / 10).toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(Math.floor(seconds % 60))} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} min`;
}

/** How long ago, roughly. */
export function ago(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)} kB`;
  if (count < 1_000_000_000) return `${(count / 1_000_000).toFixed(1)} MB`;
  return `${(count / 1_000_000_000).toFixed(1)} GB`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** What a person has decided about a command. */
export function verdict(answer: string | null, rule: string | null): string {
  if (answer === null) return "No longer asked";
  if (answer === "deny") return "Denied";
  return rule === null ? "Allowed once" : `Allowed from now on (${visible(rule)})`;
}

export function clockTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB");
}

export function shortTime(seconds: number): string {
  return clockTime(seconds).slice(0, 5);
}

/** A moment to come: with its day where that is not today. */
export function moment(seconds: number, now: number): string {
  const day = (at: number) => new Date(at * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return day(seconds) === day(now) ? shortTime(seconds) : `${day(seconds)}, ${shortTime(seconds)}`;
}

/** A path with the home of common systems as `~`. */
export function path(given: string | null): string {
  return given === null ? "" : given.replace(/^\/(?:home|Users)\/[^/]+(?=\/|$)/, "~").replace(/^\/root(?=\/|$)/, "~");
}

export function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : `${text.slice(0, end)} …`;
}

// Characters that are not seen, turn the order of others around, or move the cursor. A tab and a newline are text.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;

export interface Piece {
  readonly text: string;
  readonly hidden: boolean;
}

/** The text in pieces; each hidden character is a piece of its own, as `<U+202E>`. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let last = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > last) found.push({ text: text.slice(last, match.index), hidden: false });
    const code = match[0].codePointAt(0) ?? 0;
    found.push({ text: `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`, hidden: true });
    last = match.index + match[0].length;
  }
  if (last < text.length) found.push({ text: text.slice(last), hidden: false });
  return found;
}

export function visible(text: string): string {
  return pieces(text)
    .map((piece) => piece.text)
    .join("");
}
