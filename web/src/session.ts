// Who the page is: a ticket in the fragment of the address becomes a session; its key is in sessionStorage.
//
// Rule 1: the ticket leaves the address at once, before anything is awaited.
// Rule 2: the key is in no URL, no cookie that a script can read, and not in localStorage.
// Rule 3: a new tab asks the open ones by BroadcastChannel, which is limited to this origin with its port.

import { type Session, Refusal, login } from "./wire.ts";

const STORED = "truetty.session";
const CHANNEL = "truetty.session";
const ANSWER_MS = 400; // another tab answers within some milliseconds; a throttled one in the background may take longer

type Message = { ask: string } | { answer: string; session: Session };

function stored(): Session | null {
  try {
    const found = JSON.parse(sessionStorage.getItem(STORED) ?? "null") as Session | null;
    return found !== null && typeof found.key === "string" && found.expires_at * 1000 > Date.now() ? found : null;
  } catch {
    return null;
  }
}

export function forget(): void {
  sessionStorage.removeItem(STORED);
}

function keep(session: Session): Session {
  sessionStorage.setItem(STORED, JSON.stringify(session));
  return session;
}

function takeTicket(): string | null {
  const found = /^#ticket=([A-Za-z0-9_-]{16,})$/.exec(location.hash);
  if (found === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return found[1] ?? null;
}

/** Of another tab of this page, where one is open. */
function fromOtherTab(): Promise<Session | null> {
  return new Promise((resolve) => {
    const id = crypto.randomUUID();
    const channel = new BroadcastChannel(CHANNEL);
    const over = (session: Session | null) => {
      clearTimeout(timer);
      channel.close();
      resolve(session);
    };
    const timer = setTimeout(() => over(null), ANSWER_MS);
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if ("answer" in data && data.answer === id) over(data.session);
    };
    channel.postMessage({ ask: id } satisfies Message);
  });
}

/** Tells new tabs. */
export function share(session: Session): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ("ask" in data) channel.postMessage({ answer: data.ask, session } satisfies Message);
  };
}

export type Entrance = { session: Session } | { refused: string };

export async function enter(): Promise<Entrance> {
  const ticket = takeTicket();
  if (ticket !== null) {
    try {
      return { session: keep(await login(ticket)) };
    } catch (error) {
      const known = stored();
      if (known !== null) return { session: known };
      if (error instanceof Refusal && error.code === "limit_reached") return { refused: error.message };
      return { refused: "This link was used already, or is older than a minute." };
    }
  }
  const session = stored() ?? (await fromOtherTab());
  return session === null ? { refused: "This page needs a link of its own." } : { session: keep(session) };
}
