from invoice import render
from invoice.order import read_order
from invoice.store import Store


def printed(order):
    return render.text(Store().issue(read_order(order)))


def test_address_and_totals(order):
    text = printed(order)
    assert "Ada Byron\n12 Mill Lane\nCork, IE\n" in text
    assert "To pay (EUR)" in text
    assert text.rstrip().endswith("56.38")


def test_no_line_is_wider_than_the_paper(order):
    order["lines"][0]["text"] = "A very long description of a very ordinary brown teapot, with lid"
    assert max(len(row) for row in printed(order).splitlines()) == render.WIDTH


def test_reverse_charge_is_printed(order):
    order["customer"]["address"]["country"] = "DE"
    order["customer"]["vat_id"] = "DE123456789"
    assert "Reverse charge: VAT is due by DE123456789." in printed(order)
