"""The page of the service as answers to requests: open to everybody, since it holds nothing but the program."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from streamqid.publish.site import Response
from streamqid.web.files import POLICY, page_file

if TYPE_CHECKING:
    from streamqid.publish.head import Head


def page(head: Head) -> Response | None:
    """Return the file of the page that is asked for; None when something else is.

    ``/`` is the page for those who want HTML, and the list of all paths for others.
    """
    if head.path == "/" and "text/html" not in head.headers.get("accept", ""):
        return None
    file = page_file(head.path)
    if file is None:
        return None
    headers = {
        "Content-Security-Policy": POLICY,
        # Kept by the browser, which asks each time whether it is still the newest.
        "Cache-Control": "no-cache",
        "ETag": file.tag,
        "Vary": "Accept, Accept-Encoding",
    }
    if head.headers.get("if-none-match") == file.tag:
        return Response(b"", file.content_type, HTTPStatus.NOT_MODIFIED, headers)
    if "gzip" in head.headers.get("accept-encoding", ""):
        return Response(file.packed, file.content_type, headers=headers | {"Content-Encoding": "gzip"})
    return Response(file.body, file.content_type, headers=headers)
