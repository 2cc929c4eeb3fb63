"""Web pages, read as a browser would read them."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """Collects what a page is made of, and fails on tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self._open: list[str] = []
        self._text = text
        self.feed(text)
        self.close()
        assert self._open == []

    @property
    def asks_for(self) -> list[str]:
        """What a browser would fetch or run."""
        tags = [
            tag for tag in self.tags if tag in ("script", "link", "img", "iframe", "object", "embed", "base", "form")
        ]
        names = ("src", "href", "srcset", "xlink:href", "action", "style", "background")
        values = [f"{name}={value}" for name, value in self.attributes if name in names or name.startswith("on")]
        return [
            *tags,
            *values,
            *(word for word in ("url(", "@import", "http://", "https://", "//") if word in self._text),
        ]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
