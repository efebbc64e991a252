"""Command line: python3 -m invoice serve [--port N], python3 -m invoice print ORDER.json"""

import argparse
import json
import sys
from wsgiref.simple_server import make_server

from . import render
from .app import App
from .order import OrderError, read_order
from .store import Store


def main(argv=None):
    parser = argparse.ArgumentParser(prog="invoice")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="answer HTTP requests on the loopback address")
    serve.add_argument("--port", type=int, default=8080)
    printer = commands.add_parser("print", help="print the invoice of one order")
    printer.add_argument("order")
    args = parser.parse_args(argv)
    if args.command == "serve":
        make_server("127.0.0.1", args.port, App()).serve_forever()
        return 0
    try:
        with open(args.order, encoding="utf-8") as file:
            order = read_order(json.load(file))
    except (OSError, OrderError, ValueError) as err:
        print(f"invoice: {err}", file=sys.stderr)
        return 1
    print(render.text(Store().issue(order)), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
