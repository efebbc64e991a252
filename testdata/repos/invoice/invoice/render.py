"""The printed invoice: plain text, at most 60 columns."""

from . import money, tax

WIDTH = 60


def amount_row(label, cents):
    amount = money.show(cents)
    room = WIDTH - len(amount) - 1
    if len(label) > room:
        label = label[: room - 1] + "…"
    return f"{label:<{room}} {amount}"


def address_block(customer):
    """The lines for the window of the envelope."""
    address = customer.address
    return [customer.name, address.street, f"{address.city}, {address.country}"]


def text(invoice):
    """The whole invoice as text."""
    order, sums = invoice.order, invoice.totals
    rows = [f"INVOICE {invoice.number}", order.date.isoformat(), ""]
    rows += address_block(order.customer)
    rows += ["", "-" * WIDTH]
    rows += [amount_row(f"{line.quantity} x {line.text}", line.net) for line in order.lines]
    rows += ["-" * WIDTH, amount_row("Net", sums.net)]
    rows += [amount_row(f"VAT {rate:g}%", vat) for rate, vat in sums.vat.items()]
    rows += [amount_row("To pay (EUR)", sums.gross)]
    if tax.reverse_charge(order.customer):
        rows += ["", f"Reverse charge: VAT is due by {order.customer.vat_id}."]
    return "\n".join(rows) + "\n"
