from invoice import tax
from invoice.order import Address, Customer


def customer(country, vat_id=""):
    return Customer("Ada Byron", Address("1 Main St", "Town", country), vat_id)


def test_home_rates():
    assert tax.rate(customer("IE"), "standard") == 23
    assert tax.rate(customer("IE"), "reduced") == 13.5


def test_rate_of_the_country_goods_are_sent_to():
    assert tax.rate(customer("DE"), "standard") == 19


def test_export_is_free_of_vat():
    assert tax.rate(customer("US"), "standard") == 0


def test_business_abroad_pays_reverse_charge():
    assert tax.reverse_charge(customer("DE", "DE123456789"))
    assert tax.rate(customer("DE", "DE123456789"), "standard") == 0


def test_business_at_home_pays_vat():
    assert not tax.reverse_charge(customer("IE", "IE1234567T"))
    assert tax.rate(customer("IE", "IE1234567T"), "standard") == 23
