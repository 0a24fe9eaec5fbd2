"""Checks the links of the built site, and points those that leave the book into the repository.

links.py SITE BOOK ROOT REPOSITORY: the folder of the built pages, that of their sources, the root
of the checkout, and the address of the repository. Then the same for the Markdown files outside of
the book, which readers meet on the repository's host.
"""

import html.parser
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def is_elsewhere(link):
    return bool(urllib.parse.urlsplit(link).scheme) or link.startswith("//")


def split(link):
    parts = urllib.parse.urlsplit(link)
    return urllib.parse.unquote(parts.path), urllib.parse.unquote(parts.fragment)


def check_site(site, book, root, repository):
    """Complaints about the pages; rewrites links to files of the repository."""
    texts = {path: path.read_text() for path in site.rglob("*.html")}
    pages = {path: Page(text) for path, text in texts.items()}
    for path, page in pages.items():
        # These two repeat what is on other pages, with the links of those.
        if path.name in ("print.html", "404.html", "toc.html"):
            continue
        text = texts[path]
        for link in sorted(set(page.links)):
            if is_elsewhere(link):
                continue
            name, fragment = split(link)
            target = path if not name else pathlib.Path(os.path.normpath(path.parent / name))
            if target.is_dir():
                target = target / "index.html"
            if target.exists():
                if fragment and target in pages and fragment not in pages[target].anchors:
                    yield f"{path.name}: {link}: there is no such heading"
                continue
            # A file beside or above the book.
            source = book / path.relative_to(site).parent / re.sub(r"\.html$", ".md", name)
            for candidate in (book / path.relative_to(site).parent / name, source):
                candidate = pathlib.Path(os.path.normpath(candidate))
                if candidate.exists():
                    inside = candidate.relative_to(root).as_posix()
                    kind = "tree" if candidate.is_dir() else "blob"
                    address = f"{repository}/{kind}/main/{inside}"
                    address += f"#{fragment}" if fragment else ""
                    text = text.replace(f'"{link}"', f'"{address}"')
                    break
            else:
                yield f"{path.name}: {link}: there is no such file"
        path.write_text(text)


LINK = re.compile(r"\]\(([^)\s]+)\)")


def headings(text):
    """The anchors that a host makes of the headings of a Markdown file."""
    in_code, seen = False, {}
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        match = re.match(r"#{1,6} (.*)", line)
        if match and not in_code:
            title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", match[1])
            anchor = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
            count = seen.get(anchor, 0)
            seen[anchor] = count + 1
            yield anchor if count == 0 else f"{anchor}-{count}"


def check_markdown(root):
    """Complaints about links between the Markdown files of the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=root, capture_output=True, text=True, check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        path = root / name
        # A link is checked where the file is.
        if path.is_symlink() or not path.exists():
            continue
        text = re.sub(r"^( *)(```|~~~).*?^\1\2", "", path.read_text(), flags=re.S | re.M)
        for link in sorted(set(LINK.findall(text))):
            if is_elsewhere(link):
                continue
            file, fragment = split(link)
            # Names in rustdoc pages that are README files too.
            if "::" in file or (name.startswith("crates/") and not re.search(r"[./#]", link)):
                continue
            target = path if not file else path.parent / file
            if not target.exists():
                yield f"{name}: {link}: there is no such file"
            elif fragment and target.suffix == ".md" and fragment not in set(headings(target.read_text())):
                yield f"{name}: {link}: there is no such heading"


def main():
    site, book, root = (pathlib.Path(name).resolve() for name in sys.argv[1:4])
    complaints = list(check_site(site, book, root, sys.argv[4])) + list(check_markdown(root))
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if complaints:
        sys.exit(1)
    print(f"{len(list(site.rglob('*.html')))} pages, no broken link")


main()
