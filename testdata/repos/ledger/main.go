// Command ledger prints the balances of a journal.
package main

import (
	"fmt"
	"io"
	"os"

	"example.org/ledger/journal"
	"example.org/ledger/report"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ledger:", err)
		os.Exit(1)
	}
}

// run carries out one command line.
func run(args []string, out io.Writer) error {
	if len(args) < 2 || len(args) > 3 || args[0] != "balance" {
		return fmt.Errorf("usage: ledger balance FILE [PREFIX]")
	}
	file, err := os.Open(args[1])
	if err != nil {
		return err
	}
	defer file.Close()
	txs, err := journal.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", args[1], err)
	}
	prefix := ""
	if len(args) == 3 {
		prefix = args[2]
	}
	return report.Write(out, report.Balances(txs, prefix))
}
