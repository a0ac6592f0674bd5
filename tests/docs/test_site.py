"""The site is built from the pages. Its links lead somewhere, and it loads nothing from elsewhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.pages import PAGES, ROOT
from tools.docs import make_site

# Attributes that make a browser load a file, by tag.
LOADED = {"img": "src", "link": "href", "script": "src", "source": "srcset"}


class Links(HTMLParser):
    """What a page links to and loads, and the anchors it has."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.loaded: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(page.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and found.get("href"):
            self.targets.add(found["href"])
        if found.get(LOADED.get(tag, "")) and found.get("rel") not in ("canonical", "prev", "next"):
            self.loaded.add(found[LOADED[tag]])


def external(link: str) -> bool:
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


def test_the_site(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    site = tmp_path / "site"
    # Not by `tools/docs/build`, which also installs: `./test` has done that before.
    words = [sys.executable, "-m", "tools.docs.make_site", str(site)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), "./test --setup-only installs what it needs"

    pages = {page: Links(page) for page in site.rglob("*.html") if page.name != "404.html"}
    inside = [
        (page, link) for page, links in pages.items() for link in links.targets | links.loaded if not external(link)
    ]
    assert [f"{page.name}: {link}" for page, link in inside if not leads_somewhere(page, link, pages)] == []
    assert {link for links in pages.values() for link in links.loaded if external(link)} == set()

    outside = sorted({link for links in pages.values() for link in links.targets if external(link)})
    record_property(
        "report",
        f"site: {len(pages)} pages, {len(inside)} links inside, {len(outside)} outside, not tried: {' '.join(outside)}",
    )
    api = pages[site / "api.html"].anchors
    fields = (
        "Outcome.state",
        "Waiting.kind",
        "until.Match.patterns",
        "events.Gap.bytes",
        "terminal.options.Options.rc",
    )
    assert [name for name in fields if f"truetty.{name}" not in api] == []
    built = {page.relative_to(site).with_suffix(".md") for page in pages}
    assert {page.relative_to(ROOT / "docs") for page in PAGES if page.name != "README.md"} <= built


def leads_somewhere(page: Path, link: str, pages: dict[Path, Links]) -> bool:
    parts = urlsplit(link)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return False
    return (
        target not in pages
        or not parts.fragment
        or unquote(parts.fragment) in pages[target].anchors | {"only-dark", "only-light"}
    )


def test_a_dead_link_is_an_error(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "index.md").write_text("# One\n\n[two](two.md) and [three](#three)\n")
    with pytest.raises(SystemExit, match=r"(?s)'two\.md'.*'#three'"):
        make_site.main(tmp_path / "site", pages)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("name", ["first", "map"])
def test_a_picture_is_there(name: str, theme: str) -> None:
    assert (ROOT / f"docs/pictures/{name}-{theme}.svg").read_text().startswith("<svg")
