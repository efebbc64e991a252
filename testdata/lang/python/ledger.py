"""A small ledger of accounts."""

from __future__ import annotations

import functools
from dataclasses import dataclass

LIMIT = 100


def logged(fn):
    """Print the name of each call."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        print(fn.__name__)
        return fn(*args, **kwargs)

    return wrapper


@dataclass(frozen=True)
class Entry:
    account: str
    cents: int

    @property
    def debit(self) -> bool:
        return self.cents < 0


class Ledger:
    """Keeps entries in the order they came.

    Balances are sums of cents.
    """

    def __init__(self, entries=()):
        self.entries = list(entries)

    # Sum of one account's entries.
    def balance(self, account: str) -> int:
        return sum(e.cents for e in self.entries if e.account == account)

    @classmethod
    @logged
    def load(
        cls,
        lines: list[str],
    ) -> Ledger:
        def parse(line):
            account, cents = line.split()
            return Entry(account, int(cents))

        return cls(parse(l) for l in lines)

    class Error(Exception):
        pass


async def fetch(url: str) -> bytes:
    return b""  # not yet


if __name__ == "__main__":
    print(Ledger.load(["cash 5"]).balance("cash"))


# How often a booking is tried.
MAX_RETRIES = 3
BACKOFF: float = 0.5  # seconds
# of the bank
OPEN, CLOSE = 8, 18

TABLE = {
    "a": lambda x: x,
}
if LIMIT:
    EXTRA = 1
