import json


def test_create_gives_number_and_sums(client, order):
    code, body = client.request("POST", "/invoices", order)
    assert code == 201
    assert json.loads(body) == {
        "number": "2024-0001",
        "customer": "Ada Byron",
        "net": "47.20",
        "vat": {"23": "9.18", "0": "0.00"},
        "gross": "56.38",
    }


def test_numbers_have_no_gaps(client, order):
    client.request("POST", "/invoices", order)
    client.request("POST", "/invoices", {**order, "lines": []})
    _, body = client.request("POST", "/invoices", order)
    assert json.loads(body)["number"] == "2024-0002"


def test_customer_without_address_pays_home_vat(client, order):
    del order["customer"]["address"]
    code, body = client.request("POST", "/invoices", order)
    assert code == 201
    assert json.loads(body)["gross"] == "56.38"


def test_print_for_customer_without_address(client, order):
    order["customer"]["address"] = None
    client.request("POST", "/invoices", order)
    code, text = client.request("GET", "/invoices/2024-0001.txt")
    assert code == 200
    assert "\nAda Byron\n\n-----" in text


def test_half_an_address_is_refused(client, order):
    del order["customer"]["address"]["city"]
    code, body = client.request("POST", "/invoices", order)
    assert (code, json.loads(body)["error"]) == (400, "address lacks city")


def test_broken_json_is_refused(client):
    code, body = client.request("POST", "/invoices", b"{")
    assert (code, json.loads(body)["error"]) == (400, "the body is not JSON")


def test_unknown_invoice(client):
    assert client.request("GET", "/invoices/2024-0009")[0] == 404
