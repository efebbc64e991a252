// The folder of the in-memory backend: a small invoice service with one bug.

const invoicesBefore = `"""Invoices: what a customer owes, and how it is shown."""

from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from app.customers import Customer
from app.money import Money, total_of

CENT = Decimal("0.01")


class InvoiceError(Exception):
    """An invoice that cannot be made."""


@dataclass
class Line:
    """One position of an invoice."""

    title: str
    quantity: int
    price: Money
    discount: Decimal = Decimal(0)

    def amount(self) -> Money:
        gross = self.price.amount * self.quantity
        net = gross * (1 - self.discount)
        return Money(net.quantize(CENT, ROUND_HALF_UP), self.price.currency)


@dataclass
class Invoice:
    """What one customer owes for one order."""

    id: int
    customer: Customer
    lines: list[Line] = field(default_factory=list)
    paid: bool = False

    @property
    def total(self) -> Money:
        if not self.lines:
            raise InvoiceError(f"invoice {self.id} has no lines")
        return total_of(line.amount() for line in self.lines)


def render_invoice(invoice):
    customer = invoice.customer
    address = customer.billing_address
    city = address.city
    return {
        "id": invoice.id,
        "city": city,
        "total": str(invoice.total),
    }


def render_list(invoices, page=1, size=20):
    start = (page - 1) * size
    shown = invoices[start : start + size]
    return {
        "page": page,
        "pages": -(-len(invoices) // size),
        "items": [render_invoice(i) for i in shown],
    }


def render_pdf(invoice, writer):
    """Write the invoice as a page; the caller closes the writer."""
    writer.heading(f"Invoice {invoice.id}")
    writer.line(invoice.customer.name)
    writer.line(invoice.customer.billing_address.city)
    for line in invoice.lines:
        writer.row(line.title, line.quantity, str(line.amount()))
    writer.total(str(invoice.total))


def overdue(invoices, today):
    return [i for i in invoices if not i.paid and i.due < today]
`;

const invoicesAfter = invoicesBefore.replace(
  `    city = address.city
`,
  `    # Not every customer has an address.
    city = address.city if address else None
`,
);

const testsBefore = `import pytest

from app.customers import Address, Customer
from app.invoices import Invoice, InvoiceError, Line, render_invoice, render_list
from app.money import Money


@pytest.fixture
def customer():
    return Customer(name="Ada Byron", billing_address=Address(city="London"))


@pytest.fixture
def invoice(customer):
    return Invoice(id=7, customer=customer, lines=[Line("Engine", 2, Money("19.90", "GBP"))])


def test_total_sums_the_lines(invoice):
    invoice.lines.append(Line("Card", 1, Money("0.20", "GBP")))
    assert str(invoice.total) == "40.00 GBP"


def test_discount_rounds_half_up(invoice):
    invoice.lines[0].discount = "0.125"
    assert str(invoice.lines[0].amount()) == "34.83 GBP"


def test_an_empty_invoice_is_an_error(customer):
    with pytest.raises(InvoiceError):
        Invoice(id=8, customer=customer).total


def test_render_invoice(client):
    reply = client.get("/invoices/7")
    assert reply.status == 200
    assert reply.json == {"id": 7, "city": "London", "total": "39.80 GBP"}


def test_render_list_pages(invoice):
    page = render_list([invoice] * 41, page=3)
    assert page["pages"] == 3
    assert len(page["items"]) == 1


def test_unknown_invoice_is_404(client):
    assert client.get("/invoices/99").status == 404
`;

const testsAfter =
  testsBefore +
  `

def test_invoice_without_billing_address(client):
    client.customer.billing_address = None
    reply = client.get("/invoices/7")
    assert reply.status == 200
    assert reply.json["city"] is None
`;

export const folder = '/home/ada/src/invoice-api';
export const task = 'The /invoices endpoint returns a 500 when the customer has no billing address. Fix it and add a test.';

export interface FakeFile {
  path: string;
  before: string | null;
  after: string | null;
}

export const files: FakeFile[] = [
  { path: 'app/invoices.py', before: invoicesBefore, after: invoicesAfter },
  { path: 'tests/test_invoices.py', before: testsBefore, after: testsAfter },
];

export const newTest = 'tests/test_invoices.py::test_invoice_without_billing_address';

export const oldTests = [
  'tests/test_customers.py::test_name_is_trimmed',
  'tests/test_customers.py::test_address_is_optional',
  'tests/test_invoices.py::test_total_sums_the_lines',
  'tests/test_invoices.py::test_discount_rounds_half_up',
  'tests/test_invoices.py::test_an_empty_invoice_is_an_error',
  'tests/test_invoices.py::test_render_invoice',
  'tests/test_invoices.py::test_render_list_pages',
  'tests/test_invoices.py::test_unknown_invoice_is_404',
  'tests/test_money.py::test_add',
  'tests/test_money.py::test_currencies_do_not_mix',
  'tests/test_money.py::test_rounding[half-up]',
  'tests/test_money.py::test_rounding[half-even]',
  'tests/test_routes.py::test_health',
  'tests/test_routes.py::test_list_is_paged',
];

/** several is the service with three changed places, and a function that moved to a new file. */
export const several: FakeFile[] = [
  { path: 'app/invoices.py', before: invoicesBefore, after: invoicesAfter.replace('CENT = Decimal("0.01")', 'CENT = Decimal("0.010")').replace('page=1, size=20', 'page=1,  size=20') },
  files[1] as FakeFile,
];

/** picture is a file that is drawn. */
const seal = (colour: string, sign: string) => `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="96" viewBox="0 0 160 96">\n  <rect x="8" y="8" width="144" height="80" rx="12" fill="${colour}"/>\n  <path d="${sign}" fill="none" stroke="#fff" stroke-width="8"/>\n</svg>\n`;
export const picture: FakeFile = { path: 'docs/seal.svg', before: seal('#b02d22', 'M62 30l36 36m0-36l-36 36'), after: seal('#17784a', 'M58 50l16 16 30-34') };

/** big is a file of many lines with a change every 500, for the diff's speed. */
export function big(lines: number): FakeFile {
  const make = (v: string) =>
    Array.from({ length: lines }, (_, i) => (i % 50 === 25 ? `  const step${i} = compute(${i}, '${v}');` : `  total += weigh(items[${i}], factor, ${i * 7});`)).join('\n');
  return { path: 'src/generated/table.ts', before: make('before'), after: make('after') };
}

/** uneven is a file whose lines wrap or do not, with lines put in and taken out, for the level of the diff's sides. Each line's text is its own. */
export function uneven(lines: number): FakeFile {
  const line = (i: number, more = '') => `  row(${i}${more}${`, item(${i % 10})`.repeat((i * 7919) % 11)});`;
  const before: string[] = [];
  const after: string[] = [];
  for (let i = 0; i < lines; i++) {
    const [block, at] = [Math.floor(i / 40), i % 40];
    const few = 1 + (block % 9);
    if (at === 20 && block % 3 === 0) after.push(...Array.from({ length: few }, (_, k) => line(i, `, put(${k})`)));
    if (!(block % 3 === 1 && at >= 20 && at < 20 + few)) after.push(line(i, block % 3 === 2 && at === 20 ? `, ${'other, '.repeat(few)}` : ''));
    before.push(line(i));
  }
  return { path: 'src/generated/uneven.ts', before: before.join('\n'), after: after.join('\n') };
}
