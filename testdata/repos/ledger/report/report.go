// Package report sums transactions into balances by account.
package report

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"example.org/ledger/amount"
	"example.org/ledger/journal"
)

// Row is the balance of one account and everything below it.
type Row struct {
	Account string
	Depth   int // 0 for a top account
	Balance amount.Amount
}

// Balances sums the transactions for every account that begins with prefix, and for the accounts above them, sorted by name.
func Balances(txs []journal.Transaction, prefix string) []Row {
	sums := map[string]amount.Amount{}
	for _, tx := range txs {
		for _, p := range tx.Postings {
			if !under(p.Account, prefix) {
				continue
			}
			for _, account := range withParents(p.Account) {
				sums[account] += p.Amount
			}
		}
	}
	rows := make([]Row, 0, len(sums))
	for account, sum := range sums {
		rows = append(rows, Row{account, strings.Count(account, ":"), sum})
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].Account < rows[j].Account })
	return rows
}

// under reports whether an account is prefix or lies below it; everything lies below "".
func under(account, prefix string) bool {
	return prefix == "" || account == prefix || strings.HasPrefix(account, prefix+":")
}

// withParents gives "a:b:c" as "a", "a:b", "a:b:c".
func withParents(account string) []string {
	var all []string
	for i, r := range account {
		if r == ':' {
			all = append(all, account[:i])
		}
	}
	return append(all, account)
}

// Write prints rows with right-aligned balances and indented accounts.
func Write(w io.Writer, rows []Row) error {
	for _, row := range rows {
		indent := strings.Repeat("  ", row.Depth)
		if _, err := fmt.Fprintf(w, "%12s  %s%s\n", row.Balance, indent, row.Account); err != nil {
			return fmt.Errorf("writing report: %w", err)
		}
	}
	return nil
}
