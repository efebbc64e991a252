"""Amounts of money in whole cents, so that sums are exact."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation


def parse(text):
    """Read "19.95" as 1995 cents. Anything finer than a cent is refused."""
    try:
        value = Decimal(str(text))
    except InvalidOperation:
        raise ValueError(f"not an amount: {text!r}") from None
    cents = value * 100
    if not value.is_finite() or cents != cents.to_integral_value():
        raise ValueError(f"not an amount in whole cents: {text!r}")
    return int(cents)


def share(cents, percent):
    """The given percentage of an amount, rounded half up to whole cents."""
    exact = Decimal(cents) * Decimal(str(percent)) / 100
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))


def show(cents):
    """Write 123456 cents as "1,234.56"."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole:,}.{rest:02d}"
