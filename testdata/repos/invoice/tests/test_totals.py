from invoice import totals
from invoice.order import read_order


def test_vat_is_grouped_by_rate(order):
    sums = totals.of(read_order(order))
    assert sums.net == 4720
    assert sums.vat == {23: 918, 0: 0}
    assert sums.gross == 5638


def test_vat_is_rounded_once_for_each_rate(order):
    order["lines"] = [{"text": "Button", "quantity": 1, "price": "0.10"}] * 3
    # 3 x 2.3 cents: 7 when rounded together, 6 when rounded line by line
    assert totals.of(read_order(order)).vat == {23: 7}
