package journal

import (
	"strings"
	"testing"

	"example.org/ledger/amount"
)

func TestReadFillsInTheMissingAmount(t *testing.T) {
	txs, err := Read(strings.NewReader(`
2024-03-01 Supermarket
    expenses:food    42.10
    assets:bank
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(txs) != 1 || len(txs[0].Postings) != 2 {
		t.Fatalf("Read gave %+v, want one transaction with two postings", txs)
	}
	if got, want := txs[0].Postings[1].Amount, amount.Amount(-4210); got != want {
		t.Errorf("assets:bank gets %s, want %s", got, want)
	}
}

func TestReadTakesASmallRefund(t *testing.T) {
	_, err := Read(strings.NewReader(`
2024-03-04 Supermarket, bottle deposit
    assets:bank       0.75
    expenses:food    -0.75
`))
	if err != nil {
		t.Errorf("Read refused a transaction that balances: %v", err)
	}
}

func TestReadSkipsComments(t *testing.T) {
	txs, err := Read(strings.NewReader("; our household\n# since March\n2024-03-01 Rent\n\texpenses:rent 800\n\tassets:bank -800\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(txs) != 1 || txs[0].Line != 3 {
		t.Errorf("Read gave %+v, want one transaction at line 3", txs)
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unbalanced", "2024-03-01 Rent\n a 10\n b -9\n", "line 1: Rent: postings sum to 1.00, not to zero"},
		{"two missing", "2024-03-01 Rent\n a\n b\n", "line 1: Rent: more than one posting without an amount"},
		{"bad date", "1 March Rent\n", `line 1: date "1" does not look like 2024-03-01`},
		{"posting first", "  a 10\n", "line 1: posting before any transaction"},
		{"too many fields", "2024-03-01 Rent\n a 10 EUR\n", `line 2: posting "a 10 EUR": want an account and an amount`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tt.text))
			if err == nil || err.Error() != tt.want {
				t.Errorf("Read error = %v, want %s", err, tt.want)
			}
		})
	}
}
