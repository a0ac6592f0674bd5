"""The page in Chromium, on a real server of this machine: medians of cold contexts. A busy machine shows in each.

bytes   sent before the first paint of Now, and in all once a live terminal is shown. To reach: 25 kB and 130 kB
paint   the first contentful paint, and the first live output of a terminal. To reach: 300 ms and 700 ms
flood   the longest task of the page's thread while a command prints 5 MB/s. To reach: 60 ms
echo    from a key to its character on the screen, in a terminal that is held. To reach: 30 ms
blocks  a terminal with 1,000 commands: elements, the time until it is shown, the longest task while it scrolls
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect, sync_playwright
from playwright.sync_api import Page as Tab

from tests.server.live import Live
from tests.web.browser import Page
from tests.web.tabs import Shell, Tabs, take, until

KILO = 1000
ROUNDS = 5
KEYS = 40
# 5 MB/s in pieces of 50 kB: each is due at its own time, so that a late one does not slow the rest.
FLOOD = (
    "python3 -c \"import sys,time\nt=time.monotonic()\nfor n in range(500):\n sys.stdout.write('x'*99+chr(10))\n"
    " sys.stdout.write(('%06d '%n*14+chr(10))*500)\n time.sleep(max(0,t+n*.01-time.monotonic()))\""
)
WATCH = """
window.tasks = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((one) => one.duration)))
  .observe({ entryTypes: ["longtask"] });
const look = () => {
  if ((document.querySelector(".live .xterm-rows")?.textContent ?? "").trim() !== "") window.liveAt = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
PAINTED = "performance.getEntriesByName('first-contentful-paint').length > 0"
LOADED = """() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const files = all.filter((one) => one.name.includes("/static/") || one.entryType === "navigation");
  const sum = (some) => some.reduce((total, one) => total + one.encodedBodySize, 0);
  return { paint, before: sum(files.filter((one) => one.responseEnd <= paint)), all: sum(files), live: window.liveAt };
}"""
ECHO = """() => new Promise((resolve) => {
  const field = document.querySelector(".live.held .xterm-helper-textarea");
  const rows = document.querySelector(".live .xterm-rows");
  const begun = performance.now();
  const observer = new MutationObserver(() => {
    if (!rows.textContent.includes(window.wanted)) return;
    observer.disconnect();
    resolve(performance.now() - begun);
  });
  window.wanted = (window.wanted ?? "") + "k";
  observer.observe(rows, { childList: true, subtree: true, characterData: true });
  const data = new DataTransfer();
  data.setData("text/plain", "k");
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
})"""


@contextmanager
def served() -> Iterator[Tabs]:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as made:
        server = Live(Path(folder) / "state")
        browser: Browser = made.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        try:
            server.post("/v1/web", port=0)
            yield Tabs(browser, Page(server))
        finally:
            browser.close()
            server.end()


def opened(tabs: Tabs, path: str = "/") -> Tab:
    person = tabs.person()
    person.add_init_script(WATCH)
    return tabs.open(path, person)


def wait_for(tab: Tab, condition: str) -> None:
    until(lambda: tab.evaluate(condition), tab)


def say(name: str, text: str) -> None:
    print(f"{name:<8}{text}", flush=True)


def loading(tabs: Tabs, shell: Shell) -> None:
    now, live = [], []
    for _ in range(ROUNDS):
        tab = opened(tabs)
        wait_for(tab, PAINTED)
        now.append(tab.evaluate(LOADED))
        tab.context.close()
        tab = opened(tabs, f"/t/{shell.id}")
        wait_for(tab, "window.liveAt !== undefined")
        live.append(tab.evaluate(LOADED))
        tab.context.close()

    def middle(found: list[dict[str, Any]], key: str) -> float:
        return statistics.median(one[key] for one in found)

    before, whole = middle(now, "before") / KILO, middle(live, "all") / KILO
    say("bytes", f"{before:.1f} kB before the first paint of Now, {whole:.1f} kB with a live terminal")
    say("paint", f"first paint {middle(now, 'paint'):.0f} ms, live output {middle(live, 'live'):.0f} ms")


def flood(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "flood")
    tab = opened(tabs, f"/t/{shell.id}")
    command = shell.start(FLOOD)
    wait_for(tab, "window.liveAt !== undefined")  # the emulator is loaded
    tab.evaluate("window.tasks = []")
    shell.ends(command)
    tasks = tab.evaluate("window.tasks")
    say("flood", f"{len(tasks)} tasks above 50 ms, the longest {max(tasks, default=0):.0f} ms")
    tab.context.close()


def echo(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "echo")
    tab = opened(tabs, f"/t/{shell.id}")
    take(tab)
    tab.keyboard.type("cat\n")
    expect(tab.locator(".live .xterm-rows")).to_contain_text("cat")
    times = sorted(tab.evaluate(ECHO) for _ in range(KEYS))
    say("echo", f"median {statistics.median(times):.0f} ms, the slowest of {KEYS} {times[-1]:.0f} ms")
    tab.context.close()


def blocks(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "blocks")
    shell.run("true")
    real = tabs.server.get(f"/v1/history?terminal_id={shell.id}")
    first = real["commands"][0]
    many = [{**first, "id": f"{shell.id}-{number}", "text": f"echo {number}"} for number in range(1000, 0, -1)]
    person = tabs.person()
    person.add_init_script(WATCH)
    whole = {**real, "commands": many, "total": 1000, "next": None}
    person.route("**/v1/history?*", lambda route: route.fulfill(json=whole))
    tab = tabs.open(f"/t/{shell.id}", person)
    expect(tab.locator(f"[data-command='{shell.id}-1000']")).to_be_visible()
    shown = tab.evaluate("performance.now()")
    tab.evaluate("window.tasks = []")
    for step in range(1, 21):
        tab.locator(".feed-scroller").evaluate(f"one => one.scrollTo(0, one.scrollHeight * {step / 20})")
        tab.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    tasks = tab.evaluate("window.tasks")
    elements = tab.locator(".feed *").count()
    say(
        "blocks",
        f"{elements} elements, shown after {shown:.0f} ms; scrolling: longest task {max(tasks, default=0):.0f} ms",
    )
    tab.context.close()


def main() -> int:
    with served() as tabs:
        shell = Shell(tabs.server, "live")
        shell.start("while :; do date +%s.%N; sleep 0.05; done")
        loading(tabs, shell)
        tabs.server.ask("DELETE", f"/v1/terminals/{shell.id}", {})
        flood(tabs)
        echo(tabs)
        blocks(tabs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
