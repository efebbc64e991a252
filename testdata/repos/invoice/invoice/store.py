"""Numbers invoices without gaps, year by year, and keeps them in memory."""

from dataclasses import dataclass

from . import totals
from .order import Order


@dataclass(frozen=True)
class Invoice:
    number: str
    order: Order
    totals: totals.Totals


class Store:
    def __init__(self):
        self._invoices = {}
        self._last = {}

    def issue(self, order):
        """Make the invoice of an order. A number is used up only when the totals could be worked out."""
        sums = totals.of(order)
        year = order.date.year
        self._last[year] = self._last.get(year, 0) + 1
        invoice = Invoice(f"{year}-{self._last[year]:04d}", order, sums)
        self._invoices[invoice.number] = invoice
        return invoice

    def get(self, number):
        return self._invoices.get(number)
