"""Customers, lines and orders as they arrive in JSON."""

from dataclasses import dataclass
from datetime import date
from typing import Optional

from . import money

CLASSES = ("standard", "reduced", "zero")


class OrderError(ValueError):
    """The order cannot be invoiced; the message is meant for the caller."""


@dataclass(frozen=True)
class Address:
    street: str
    city: str
    country: str


@dataclass(frozen=True)
class Customer:
    name: str
    address: Optional[Address] = None
    vat_id: str = ""


@dataclass(frozen=True)
class Line:
    text: str
    quantity: int
    price: int
    vat_class: str = "standard"

    @property
    def net(self):
        return self.quantity * self.price


@dataclass(frozen=True)
class Order:
    customer: Customer
    lines: tuple
    date: date


def read_address(data):
    if not data:
        return None
    missing = [key for key in ("street", "city", "country") if not data.get(key)]
    if missing:
        raise OrderError("address lacks " + ", ".join(missing))
    return Address(data["street"], data["city"], data["country"].upper())


def read_line(data):
    try:
        price = money.parse(data["price"])
        quantity = int(data.get("quantity", 1))
    except KeyError as err:
        raise OrderError(f"line lacks {err.args[0]}") from None
    except ValueError as err:
        raise OrderError(str(err)) from None
    if quantity < 1:
        raise OrderError("quantity must be at least 1")
    vat_class = data.get("class", "standard")
    if vat_class not in CLASSES:
        raise OrderError(f"unknown VAT class {vat_class!r}")
    return Line(data.get("text", ""), quantity, price, vat_class)


def read_order(data):
    """Turn decoded JSON into an Order, or raise OrderError."""
    customer = data.get("customer") or {}
    if not customer.get("name"):
        raise OrderError("customer lacks a name")
    if not data.get("lines"):
        raise OrderError("an order needs at least one line")
    try:
        day = date.fromisoformat(data["date"])
    except (KeyError, ValueError):
        raise OrderError("date must look like 2024-03-09") from None
    return Order(
        Customer(customer["name"], read_address(customer.get("address")), customer.get("vat_id", "")),
        tuple(read_line(line) for line in data["lines"]),
        day,
    )
