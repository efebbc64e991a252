package app

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"redgreen/backend/eval"
	"redgreen/backend/repair"
)

func (c *command) priorsCommand() *cobra.Command {
	var clones []string
	var most int
	cmd := &cobra.Command{
		Use:   "priors",
		Short: "Count which kinds of edits fixed bugs in the histories of clones, as the built-in engine ranks them",
		Long: "Looks at each commit whose first line speaks of a fix and that changes at most six lines at one place of one source file, and\n" +
			"prints, as one JSON object, how often one edit of the built-in engine makes that change, by the edit's kind, with how many edits\n" +
			"of the kind there are at such places. Nothing of the clones is run. The engine's table is backend/repair/priors.json.",
		Example: "  redgreen eval priors --repo pallets/flask=~/src/flask --repo ~/src/cobra > backend/repair/priors.json",
		Args:    noMore,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var p eval.Priors
			for _, clone := range clones {
				name, dir, named := strings.Cut(clone, "=")
				if !named {
					name, dir = filepath.Base(clone), clone
				}
				o := eval.PriorOptions{Clone: expandHome(dir), Name: name, Most: most, Explain: repair.Explain}
				if err := p.Count(cmd.Context(), o); err != nil {
					return err
				}
				s := p.Sources[len(p.Sources)-1]
				fmt.Fprintf(c.err, "%s: %d of %d small fixes are one edit\n", s.Repository, s.Explained, s.Fixes)
			}
			out := json.NewEncoder(c.out)
			out.SetIndent("", " ")
			return out.Encode(p)
		},
	}
	cmd.Flags().StringArrayVar(&clones, "repo", nil, "a clone with its full history, as FOLDER or NAME=FOLDER; may be given again")
	cmd.Flags().IntVar(&most, "most", 0, "the most fixes of each, newest first (0: all)")
	return cmd
}
