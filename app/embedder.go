package app

import (
	"context"
	"log/slog"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/search"
)

const (
	// noEmbedder is the setting that leaves vectors out.
	noEmbedder = "none"
	// embedderWithin is how long a folder waits for a server's first vector before it is opened without vectors.
	embedderWithin = 10 * time.Second
)

// embedder is the one that the settings choose. One that cannot be opened costs the vectors only: nil, and a word in the log.
func (c *core) embedder() search.Embedder {
	var e search.Embedder
	var err error
	switch name := c.current().Embedder; name {
	case "":
		e, err = search.BuiltIn()
	case noEmbedder:
		return nil
	default:
		var m *model.Embedder
		if m, err = model.OpenEmbedder(name, c.modelOptions()); err == nil {
			ctx, cancel := context.WithTimeout(context.Background(), embedderWithin)
			defer cancel()
			e, err = search.Remote(ctx, m)
		}
	}
	if err != nil {
		c.log.Warn("opening the embedder", slog.Any("error", err))
		return nil
	}
	return e
}
