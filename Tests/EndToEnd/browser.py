#!/usr/bin/env python3
"""A browser for tests: opens a URL, follows redirects and posts a form that posts itself, as form_post does."""
import html.parser
import sys
import urllib.parse
import urllib.request


class Form(html.parser.HTMLParser):
    """The first form of a page: where it goes and its hidden fields."""

    def __init__(self):
        super().__init__()
        self.action = None
        self.fields = []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form" and self.action is None and attributes.get("method", "").lower() == "post":
            self.action = attributes["action"]
        if tag == "input" and self.action is not None and attributes.get("type") == "hidden":
            self.fields.append((attributes["name"], attributes.get("value", "")))


def fetch(request):
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.geturl(), answer.read().decode()
    except urllib.error.HTTPError as error:
        # A page that says no is a page.
        return request if isinstance(request, str) else request.full_url, error.read().decode()


place, page = fetch(sys.argv[1])
form = Form()
form.feed(page)
if form.action is not None:
    body = urllib.parse.urlencode(form.fields).encode()
    fetch(urllib.request.Request(urllib.parse.urljoin(place, form.action), data=body))
