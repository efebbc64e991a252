package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"redgreen/backend/index"
	"redgreen/backend/lang"
	"redgreen/backend/search"
)

// Pair is one example to learn from: what a person wrote of a piece of code, and the code, both as subtokens.
type Pair struct {
	Words []string `json:"words"`
	Code  []string `json:"code"`
	Kind  string   `json:"kind"` // doc: the first sentence of its comment; change: the message of a commit that changed it
}

// PairOptions say where pairs come from.
type PairOptions struct {
	Clone   string
	Commits int // the most commits, newest first
	Docs    int // the most documented definitions of HEAD
	Found   func(Pair) error
}

const (
	// pairWords and pairCode are how much of a message and of a definition is learned from.
	pairWords = 48
	pairCode  = 160
	// pairFiles and pairChunks bound a commit whose message still speaks of each of its places.
	pairFiles  = 3
	pairChunks = 5
	// fewWordsOfPair is what says too little to learn from.
	fewWordsOfPair = 3
)

// Pairs makes examples of a clone: the definitions of HEAD with the first sentences of their comments, and those that
// commits changed with their messages.
func Pairs(ctx context.Context, o PairOptions) (err error) {
	c, err := openClone(ctx, o.Clone)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.docPairs(ctx, o); err != nil {
		return err
	}
	return c.changePairs(ctx, o)
}

// docPairs are the documented definitions of HEAD; the comment is taken away from the code.
func (c *clone) docPairs(ctx context.Context, o PairOptions) error {
	tree, err := c.tree(ctx, "HEAD")
	if err != nil {
		return err
	}
	n, cut := 0, index.NewSubtokenizer()
	for path, blob := range tree { // in the order of a map: a limit takes some of everywhere
		l, ok := lang.ByPath(path)
		if n >= o.Docs || !ok || isTestPath(l, path) {
			continue
		}
		src, err := c.object(blob)
		if err != nil {
			continue // a large file that the clone lacks
		}
		chunks, err := index.Cut(path, src)
		if err != nil {
			continue // minified
		}
		for _, ch := range chunks {
			words := cut.Cut(firstSentence(ch.Doc), pairWords)
			if ch.Test || len(words) < fewWordsOfPair {
				continue
			}
			ch.Text = strings.Replace(ch.Text, ch.Doc, "", 1)
			ch.Doc = ""
			if err := o.Found(Pair{words, cut.Cut(index.VectorText(ch), pairCode), "doc"}); err != nil {
				return err
			}
			n++
		}
	}
	return nil
}

// sentenceEnd ends the first sentence of a comment.
var sentenceEnd = regexp.MustCompile(`[.!?](\s|$)|\n\s*\n`)

func firstSentence(doc string) string {
	if at := sentenceEnd.FindStringIndex(doc); at != nil {
		return doc[:at[0]]
	}
	return doc
}

func (c *clone) changePairs(ctx context.Context, o PairOptions) error {
	n, cut := 0, index.NewSubtokenizer()
	return c.history(ctx, func(one commit) error {
		if n++; n > o.Commits {
			return errEnough
		}
		words := cut.Cut(search.Prose(one.message), pairWords)
		if len(words) < fewWordsOfPair || strings.Contains(one.parent, " ") {
			return nil
		}
		var source []touched
		for _, t := range one.files {
			if l, ok := lang.ByPath(t.path); ok && !t.created && !t.gone && !isTestPath(l, t.path) {
				source = append(source, t)
			}
		}
		if len(source) == 0 || len(source) > pairFiles {
			return nil
		}
		var changed []index.Chunk
		for _, t := range source {
			chunks, err := c.touchedChunks(one.parent, t)
			if err != nil {
				return nil // a large file that the clone lacks
			}
			changed = append(changed, chunks...)
		}
		if len(changed) > pairChunks {
			return nil
		}
		for _, ch := range changed {
			if err := o.Found(Pair{words, cut.Cut(index.VectorText(ch), pairCode), "change"}); err != nil {
				return err
			}
		}
		return nil
	})
}

// ReadPairs reads pairs, one JSON object a line.
func ReadPairs(r io.Reader, found func(Pair) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var p Pair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return fmt.Errorf("reading pair %d: %w", n, err)
		}
		if err := found(p); err != nil {
			return err
		}
	}
	return lines.Err()
}
