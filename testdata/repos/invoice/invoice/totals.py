"""Sums an order: net, VAT grouped by rate, gross. All amounts in cents."""

from dataclasses import dataclass

from . import money, tax


@dataclass(frozen=True)
class Totals:
    net: int
    vat: dict
    gross: int


def of(order):
    """The totals of an order. VAT is rounded once for each rate."""
    by_rate = {}
    for line in order.lines:
        rate = tax.rate(order.customer, line.vat_class)
        by_rate[rate] = by_rate.get(rate, 0) + line.net
    vat = {rate: money.share(net, rate) for rate, net in sorted(by_rate.items(), reverse=True)}
    net = sum(by_rate.values())
    return Totals(net, vat, net + sum(vat.values()))
