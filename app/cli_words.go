package app

import (
	"fmt"
	"strings"

	"github.com/mattn/go-shellwords"
)

// splitWords cuts a command into its argument list, honouring quotes. No shell ever runs it, so anything that only a
// shell would understand is refused rather than passed on as a word.
func splitWords(line string) ([]string, error) {
	if strings.TrimSpace(line) == "" {
		return nil, nil
	}
	p := shellwords.NewParser()
	words, err := p.Parse(line)
	if err != nil {
		return nil, fmt.Errorf("reading the command %q: %w; quotes must be closed", line, err)
	}
	if p.Position >= 0 && p.Position < len(line) {
		return nil, fmt.Errorf("the command %q holds %q, which needs a shell; none runs here: put the steps into a script or a Makefile of the folder and name that", line, line[p.Position:])
	}
	return words, nil
}
