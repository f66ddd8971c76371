#!/usr/bin/env python3
"""Every link of a site leads to a file that is there, and to a heading of that file; nothing is fetched from elsewhere. usage: check-site.py FOLDER"""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.fetched, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors.update(found[name] for name in ("id", "name") if found.get(name))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        for name in ("src", "href"):
            if tag in ("img", "script", "link", "iframe", "source") and found.get(name) and found.get("rel") != "canonical":
                self.fetched.append(found[name])


def main(folder):
    pages = {path.resolve(): Page(path) for path in sorted(folder.rglob("*.html"))}
    faults, checked = [], 0
    for path, page in pages.items():
        for link in page.links + page.fetched:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.fetched and parts.scheme != "data":
                    faults.append(f"{path.relative_to(folder)}: fetches {link}")
                continue
            checked += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                faults.append(f"{path.relative_to(folder)}: {link} is not there")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                faults.append(f"{path.relative_to(folder)}: {link} has no such heading")
    print("\n".join(sorted(set(faults))[:60]))
    print(f"site: {checked} links of {len(pages)} pages, {len(set(faults))} broken")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
