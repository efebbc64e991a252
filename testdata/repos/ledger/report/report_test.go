package report

import (
	"strings"
	"testing"

	"example.org/ledger/journal"
)

const household = `
2024-03-01 Salary
    assets:bank          2,500.00
    income:salary

2024-03-02 Supermarket
    expenses:food           42.10
    assets:bank

2024-03-03 Rent
    expenses:home:rent     800.00
    assets:bank

2024-03-04 Supermarket, bottle deposit
    expenses:food           -0.75
    assets:bank
`

func balances(t *testing.T, prefix string) string {
	t.Helper()
	txs, err := journal.Read(strings.NewReader(household))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Write(&out, Balances(txs, prefix)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestBalancesOfOneBranch(t *testing.T) {
	want := `      800.00  expenses
      800.00    expenses:home
      800.00      expenses:home:rent
`
	if got := balances(t, "expenses:home"); got != want {
		t.Errorf("balances of expenses:home are\n%swant\n%s", got, want)
	}
}

func TestBalancesCountSmallRefunds(t *testing.T) {
	want := `      841.35  expenses
       41.35    expenses:food
      800.00    expenses:home
      800.00      expenses:home:rent
`
	if got := balances(t, "expenses"); got != want {
		t.Errorf("balances of expenses are\n%swant\n%s", got, want)
	}
}

func TestPrefixStopsAtAWholeName(t *testing.T) {
	if got := balances(t, "exp"); got != "" {
		t.Errorf("balances of exp are\n%swant none", got)
	}
}

func TestIncomeIsNegative(t *testing.T) {
	if got, want := balances(t, "income"), "   -2,500.00  income\n   -2,500.00    income:salary\n"; got != want {
		t.Errorf("balances of income are\n%swant\n%s", got, want)
	}
}
