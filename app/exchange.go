package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redgreen/backend/session"
	"redgreen/backend/session/exchange"
)

// Exported is a session that left the program: in a file that the person chose (Path), or, where there is no dialog to
// choose one, as a text to be downloaded under a name. All are "" when the person closed the dialog.
type Exported struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Text string `json:"text"`
}

// ExportSession gives a session as jsonl, markdown or html, without secrets. The window asks where to save it.
func (a *App) ExportSession(id, as string) (Exported, error) {
	return guard(a.h, func() (Exported, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return Exported{}, err
		}
		form, err := formOf(as, "")
		if err != nil {
			return Exported{}, err
		}
		text, err := export(a.h.context, store, id, form)
		if err != nil {
			return Exported{}, err
		}
		name := "redgreen-" + id + form.Ext()
		if a.h.save == nil {
			return Exported{Name: name, Text: string(text)}, nil
		}
		path, err := a.h.save(name)
		if err != nil || path == "" {
			return Exported{}, err
		}
		return Exported{Path: path, Name: filepath.Base(path)}, saveFile(path, text)
	})
}

// formOf reads the name of a form; "" is told from the end of a file's name, and is JSONL where a name has none.
func formOf(name, file string) (exchange.Form, error) {
	var names, ends []string
	for _, f := range exchange.Forms() {
		ends = append(ends, f.Ext())
		if name == string(f) || name == "" && file != "" && strings.EqualFold(filepath.Ext(file), f.Ext()) {
			return f, nil
		}
		names = append(names, string(f))
	}
	if end := filepath.Ext(file); name == "" && end != "" && end != ".json" {
		return "", fail(Invalid, fmt.Sprintf("no form of a session has files that end in %s; end the name in %s, or say --as %s", printable(end, 40), strings.Join(ends, ", "), strings.Join(names, ", ")))
	}
	if name == "" {
		return exchange.JSONL, nil
	}
	return "", fail(Invalid, fmt.Sprintf("a session can't be exported as %q; choose %s", name, strings.Join(names, ", ")))
}

func export(ctx context.Context, store *session.Store, id string, as exchange.Form) ([]byte, error) {
	events, err := findEvents(ctx, store, id)
	if err != nil {
		return nil, err
	}
	state, err := store.State(ctx, id)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = exchange.Render(&b, as, events, state.Source, func(hash string) []byte {
		data, _ := store.Body(ctx, hash) // an imported record has none: its pictures are named and not shown
		return data
	})
	return b.Bytes(), err
}

// formWords names a form as people do.
func formWords(f exchange.Form) string {
	switch f {
	case exchange.Markdown:
		return "Markdown"
	case exchange.HTML:
		return "one HTML page"
	}
	return "JSON Lines"
}

// byteWords is a size with three digits at most.
func byteWords(n int) string {
	switch {
	case n < 1000:
		return countOf(n, "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func saveFile(path string, text []byte) error {
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fail(Unavailable, fmt.Sprintf("the export could not be saved (%v); choose another place", err))
	}
	return nil
}

// importFile stores a session of a file, read-only, and gives its new id.
// ImportSession takes in the text of an exported session, or of another tool's record, read-only, and gives its new id.
func (a *App) ImportSession(text string) (string, error) {
	return guard(a.h, func() (string, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return "", err
		}
		id, _, err := importFrom(a.h.context, store, strings.NewReader(text), time.Now())
		return id, err
	})
}

func importFile(ctx context.Context, store *session.Store, path string) (id string, source exchange.Source, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", source, fail(NotFound, fmt.Sprintf("%s could not be opened (%v)", path, err))
	}
	defer f.Close()
	at := time.Now()
	if info, err := f.Stat(); err == nil {
		at = info.ModTime()
	}
	return importFrom(ctx, store, f, at)
}

// importFrom stores a session that was read; at is when it was, where the tool kept no times.
func importFrom(ctx context.Context, store *session.Store, r io.Reader, at time.Time) (id string, source exchange.Source, err error) {
	events, source, err := exchange.Import(ctx, r)
	if ctx.Err() != nil {
		return "", source, ctx.Err()
	}
	if err != nil {
		return "", source, fail(Invalid, err.Error())
	}
	if events[0].Time.Unix() == 0 {
		for i := range events {
			events[i].Time = at
		}
	}
	id, err = store.Insert(ctx, events, source.String())
	return id, source, err
}

func (c *command) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Take in a session that was exported, or a record of another tool, to look at",
		Long: "Reads what `redgreen sessions export` wrote as jsonl, a trajectory of mini-swe-agent (JSON), and the records of Claude Code and\n" +
			"Codex (JSON Lines); which one it is is told from the content. The session is read-only; nothing in it was proven here.",
		Example: "  redgreen sessions import session.jsonl\n  redgreen sessions import ~/.claude/projects/shop/0b0f….jsonl",
		Args:    exactly("a FILE", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(func(_ *core, store *session.Store) error {
				id, source, err := importFile(cmd.Context(), store, expandHome(args[0]))
				if err != nil {
					return err
				}
				if source.Skipped > 0 {
					fmt.Fprintf(c.err, "left out, since it has no place in a session here: %s\n", countOf(source.Skipped, "record"))
				}
				fmt.Fprintln(c.out, id)
				return nil
			})
		},
	}
}

func (c *command) exportCommand() *cobra.Command {
	var as, out string
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a session as JSON Lines, Markdown or one HTML page",
		Long: "Secrets are replaced in all forms.\n\n" +
			"jsonl     every event, one JSON object a line: {seq, session, time, kind, …}, as `redgreen fix --json` prints them\n" +
			"markdown  the trace, the diff and the certificate\n" +
			"html      the same as one page, which any browser shows without network and scripts",
		Example: "  redgreen sessions export 20261129-093012-h3k9x2mq > session.jsonl\n" +
			"  redgreen sessions export 20261129-093012-h3k9x2mq --out session.html\n" +
			"  redgreen sessions export 20261129-093012-h3k9x2mq --as markdown",
		Args: exactly("the ID of a session", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			form, err := formOf(as, out)
			if err != nil {
				return err
			}
			return c.withStore(func(_ *core, store *session.Store) error {
				text, err := export(cmd.Context(), store, args[0], form)
				if err != nil {
					return err
				}
				if out != "" {
					if err := saveFile(expandHome(out), text); err != nil {
						return err
					}
					fmt.Fprintf(c.err, "wrote the session as %s into %s (%s)\n", formWords(form), printable(expandHome(out), 4096), byteWords(len(text)))
					return nil
				}
				_, err = c.out.Write(text)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "write in `FORM`: jsonl, markdown or html (default: by the name of --out, else jsonl)")
	cmd.Flags().StringVar(&out, "out", "", "write to `FILE` in place of standard output")
	return cmd
}
