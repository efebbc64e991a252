// Package journal reads transactions from text and checks that they balance.
package journal

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"example.org/ledger/amount"
)

// Transaction is one dated event; its postings sum to zero.
type Transaction struct {
	Date     time.Time
	Text     string
	Postings []Posting
	Line     int // where it starts, 1-based
}

// Posting moves an amount into an account, or out of it where it is negative.
type Posting struct {
	Account string
	Amount  amount.Amount
	missing bool
}

// Read reads a whole journal. Lines that start with ";" or "#" are comments.
func Read(r io.Reader) ([]Transaction, error) {
	var all []Transaction
	scanner := bufio.NewScanner(r)
	for number := 1; scanner.Scan(); number++ {
		text := scanner.Text()
		trimmed := strings.TrimSpace(text)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, ";") || strings.HasPrefix(trimmed, "#"):
			continue
		case text[0] == ' ' || text[0] == '\t':
			if len(all) == 0 {
				return nil, fmt.Errorf("line %d: posting before any transaction", number)
			}
			posting, err := parsePosting(trimmed)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			last := &all[len(all)-1]
			last.Postings = append(last.Postings, posting)
		default:
			tx, err := parseHead(trimmed)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			tx.Line = number
			all = append(all, tx)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("reading journal: %w", err)
	}
	for i := range all {
		if err := all[i].balance(); err != nil {
			return nil, fmt.Errorf("line %d: %w", all[i].Line, err)
		}
	}
	return all, nil
}

// parseHead reads "2024-03-01 Supermarket".
func parseHead(text string) (Transaction, error) {
	day, rest, _ := strings.Cut(text, " ")
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return Transaction{}, fmt.Errorf("date %q does not look like 2024-03-01", day)
	}
	return Transaction{Date: date, Text: strings.TrimSpace(rest)}, nil
}

// parsePosting reads "assets:bank  12.50"; the amount may be missing.
func parsePosting(text string) (Posting, error) {
	fields := strings.Fields(text)
	switch len(fields) {
	case 1:
		return Posting{Account: fields[0], missing: true}, nil
	case 2:
		sum, err := amount.Parse(fields[1])
		return Posting{Account: fields[0], Amount: sum}, err
	default:
		return Posting{}, fmt.Errorf("posting %q: want an account and an amount", text)
	}
}

// balance fills in the one missing amount and checks the sum.
func (t *Transaction) balance() error {
	var sum amount.Amount
	missing := -1
	for i, p := range t.Postings {
		if p.missing {
			if missing >= 0 {
				return fmt.Errorf("%s: more than one posting without an amount", t.Text)
			}
			missing = i
		}
		sum += p.Amount
	}
	if missing >= 0 {
		t.Postings[missing].Amount = -sum
		t.Postings[missing].missing = false
		return nil
	}
	if sum != 0 {
		return fmt.Errorf("%s: postings sum to %s, not to zero", t.Text, sum)
	}
	return nil
}
