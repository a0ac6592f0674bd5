// What is taken along: the text of a command or of a whole terminal, and pictures.

import type { Page } from "./context.ts";
import { download } from "./dialogs.ts";
import type { Command } from "./model.ts";
import { duration } from "./words.ts";

const PART = 1_000_000; // characters of one request
const COMMANDS = 100; // of one request

export async function wholeText(page: Page, id: string): Promise<string> {
  for (let [text, offset] = ["", 0]; ; ) {
    const part = await page.wire.characters(id, offset, PART);
    const count = [...part].length;
    text += part;
    offset += count;
    if (count < PART) return text;
  }
}

function ending(command: Command): string {
  if (!command.finished) return command.state;
  const code = command.signal ?? (command.exit_code === null ? "exit code unknown" : `exit ${command.exit_code}`);
  return `${code}, ${duration(command.duration)}${command.complete ? "" : ", output not complete"}`;
}

/** Every command of a terminal with its output and its end, the oldest first. */
async function textLog(page: Page, terminal: string): Promise<string> {
  const commands: Command[] = [];
  for (let before: string | null = null; ; ) {
    const found = await page.wire.history({ terminal_id: terminal, limit: COMMANDS, before });
    commands.unshift(...[...found.commands].reverse());
    if (found.next === null) break;
    before = found.next;
  }
  const parts: string[] = [];
  for (const one of commands) {
    const at = one.started_at === null ? "" : `# ${new Date(one.started_at * 1000).toISOString()} ${one.cwd ?? ""}\n`;
    parts.push(`${at}$ ${one.text}\n${await wholeText(page, one.id)}# ${ending(one)}\n`);
  }
  return parts.join("\n");
}

export const saveLog = (page: Page, terminal: string): void =>
  void page.attempt(() => textLog(page, terminal)).then((text) => text !== null && download(`${terminal}.log`, text));

export const saveText = (page: Page, command: string): void =>
  void page.attempt(() => wholeText(page, command)).then((text) => text !== null && download(`${command}.txt`, text));

export const saveRaw = (page: Page, command: string): void =>
  void page.attempt(() => page.wire.raw(command)).then((data) => data !== null && download(`${command}.raw`, data));

export const saveCast = (page: Page, terminal: string): void =>
  void page.attempt(() => page.wire.cast(terminal)).then((text) => text !== null && download(`${terminal}.cast`, text));

export function savePicture(page: Page, command: string, dark: boolean): void {
  void page.attempt(() => page.wire.picture(command, dark ? "dark" : "light")).then((text) => text !== null && download(`${command}.svg`, new Blob([text], { type: "image/svg+xml" })));
}
