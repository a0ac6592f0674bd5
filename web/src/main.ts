// The page begins here: a session, the link for events, the frame.

import { batch, effect } from "@preact/signals-core";
import { systemClock } from "./clock.ts";
import { Page } from "./context.ts";
import { listenKeys } from "./keys.ts";
import { recoverLeases } from "./leases.ts";
import { Link } from "./link.ts";
import { notifications, titles } from "./manners.ts";
import { watchQuiet } from "./quiet.ts";
import { enter, forget, share } from "./session.ts";
import { Store } from "./store.ts";
import { applyTheme } from "./theme.ts";
import { doorway, frame } from "./view.ts";
import { Wire } from "./wire.ts";

const SECOND = 1000;

function show(element: Element): void {
  document.getElementById("page")?.replaceChildren(element);
}

/** The clock of the page; it stands still while nobody looks. */
function tick(store: Store): void {
  let timer: ReturnType<typeof setInterval> | undefined;
  const look = () => {
    clearInterval(timer);
    if (document.hidden) return;
    store.tick(Date.now() / 1000);
    timer = setInterval(() => store.tick(Date.now() / 1000), SECOND);
  };
  document.addEventListener("visibilitychange", look);
  look();
}

async function start(): Promise<void> {
  applyTheme();
  const entrance = await enter();
  if ("refused" in entrance) {
    show(doorway(entrance.refused));
    return;
  }
  const { session } = entrance;
  share(session);
  const store = new Store(session.name);
  const wire = new Wire(session);
  const page = new Page(store, wire);
  recoverLeases(page);
  let isDrawn = false;
  const draw = () => {
    if (isDrawn) return;
    isDrawn = true;
    if (session.terminal !== null && page.route.value.place !== "terminal") page.go(`/t/${session.terminal}`, true);
    show(frame(page));
    listenKeys(page);
    titles(store);
    notifications(store, (path) => page.go(path));
    watchQuiet(page);
  };
  const link = new Link(
    (since, epoch) => wire.events(since, epoch),
    () => wire.isWelcome(),
    (event) => batch(() => store.apply(event)),
    (state) => (store.link.value = state),
    systemClock,
  );
  effect(() => {
    if (store.link.value.kind === "over") {
      forget();
      show(doorway("The session of this page has ended."));
    } else if (store.resets.value > 0) draw();
  });
  link.start();
  tick(store);
  for (const name of ["online", "focus", "pageshow"]) addEventListener(name, () => link.wake());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) link.wake();
  });
}

void start();
