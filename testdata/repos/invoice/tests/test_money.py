import pytest

from invoice import money


@pytest.mark.parametrize("text, cents", [("19.95", 1995), ("0.05", 5), ("7", 700), ("-3.10", -310)])
def test_parse(text, cents):
    assert money.parse(text) == cents


@pytest.mark.parametrize("text", ["", "ten", "1.005", "NaN"])
def test_parse_refuses(text):
    with pytest.raises(ValueError):
        money.parse(text)


def test_share_rounds_half_up():
    assert money.share(150, 23) == 35  # 34.5
    assert money.share(100, 13.5) == 14  # 13.5


def test_show_groups_thousands():
    assert money.show(123456) == "1,234.56"
    assert money.show(-5) == "-0.05"
