"""The HTTP interface, as a WSGI application.

POST /invoices          an order as JSON    201 and the invoice as JSON
GET  /invoices/N        the invoice N as JSON
GET  /invoices/N.txt    the same, to print
"""

import json
import logging

from . import money, render
from .order import OrderError, read_order
from .store import Store

log = logging.getLogger("invoice")

STATUS = {
    200: "200 OK",
    201: "201 Created",
    400: "400 Bad Request",
    404: "404 Not Found",
    405: "405 Method Not Allowed",
    500: "500 Internal Server Error",
}


def as_json(invoice):
    sums = invoice.totals
    return {
        "number": invoice.number,
        "customer": invoice.order.customer.name,
        "net": money.show(sums.net),
        "vat": {f"{rate:g}": money.show(vat) for rate, vat in sums.vat.items()},
        "gross": money.show(sums.gross),
    }


class App:
    def __init__(self, store=None):
        self.store = store or Store()

    def __call__(self, environ, start_response):
        try:
            code, kind, body = self.route(environ)
        except OrderError as err:
            code, kind, body = 400, "application/json", json.dumps({"error": str(err)})
        except Exception:
            log.exception("request failed")
            code, kind, body = 500, "application/json", json.dumps({"error": "internal error"})
        data = body.encode()
        start_response(STATUS[code], [("Content-Type", kind), ("Content-Length", str(len(data)))])
        return [data]

    def route(self, environ):
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if path == "/invoices":
            if method != "POST":
                return 405, "text/plain", "use POST\n"
            return self.create(environ)
        if path.startswith("/invoices/") and method == "GET":
            return self.show(path[len("/invoices/"):])
        return 404, "text/plain", "no such page\n"

    def create(self, environ):
        size = int(environ.get("CONTENT_LENGTH") or 0)
        try:
            data = json.loads(environ["wsgi.input"].read(size))
        except ValueError:
            raise OrderError("the body is not JSON") from None
        if not isinstance(data, dict):
            raise OrderError("an order must be a JSON object")
        invoice = self.store.issue(read_order(data))
        return 201, "application/json", json.dumps(as_json(invoice))

    def show(self, name):
        printed = name.endswith(".txt")
        invoice = self.store.get(name[: -len(".txt")] if printed else name)
        if invoice is None:
            return 404, "text/plain", "no such invoice\n"
        if printed:
            return 200, "text/plain; charset=utf-8", render.text(invoice)
        return 200, "application/json", json.dumps(as_json(invoice))
