package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/sandbox"
	"redgreen/backend/search"
)

const (
	// noEmbedder is the setting that leaves vectors out.
	noEmbedder = "none"
	// embedderWithin is how long a folder waits for a server's first vector before it is opened without vectors.
	embedderWithin = 10 * time.Second
	// embedderProbe is how long the doctor waits for it.
	embedderProbe = 2 * time.Second
)

// embedder is the one that the settings choose. One that cannot be opened costs the vectors only: nil, and vectorless says why.
func (c *core) embedder() search.Embedder {
	e, err := c.openEmbedder(context.Background(), embedderWithin)
	if err != nil {
		c.log.Info("opening the embedder", slog.Any("error", err))
	}
	c.mu.Lock()
	c.vectorless = err
	c.mu.Unlock()
	return e
}

// openEmbedder asks a server's model for a first vector; nil where the person wants none.
func (c *core) openEmbedder(ctx context.Context, within time.Duration) (search.Embedder, error) {
	name := c.current().Embedder
	switch name {
	case "":
		return search.BuiltIn()
	case noEmbedder:
		return nil, nil
	}
	m, err := model.OpenEmbedder(name, c.modelOptions())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	e, err := search.Remote(ctx, m)
	if err != nil {
		return nil, err // not e: an interface that holds nothing is not nil
	}
	return e, nil
}

// doctor probes the sandboxes for a folder's tests ("" no folder) and, beside that, the embedder.
func (c *core) doctor(ctx context.Context, root string) (sandbox.Report, error) {
	box, err := c.sandbox(root)
	if err != nil {
		return sandbox.Report{}, err
	}
	vectors := make(chan []sandbox.Check, 1)
	go func() { vectors <- c.embedderCheck(ctx) }()
	report := box.Doctor(ctx)
	report.Checks = append(report.Checks, <-vectors...)
	return report, ctx.Err() // what was interrupted has shown nothing
}

// embedderCheck asks the chosen embedder, for the doctor; nothing where it is the built-in one or none.
func (c *core) embedderCheck(ctx context.Context) []sandbox.Check {
	name := c.current().Embedder
	if name == "" || name == noEmbedder {
		return nil
	}
	check := sandbox.Check{Name: "embedder", OK: true, Detail: name + " answers"}
	start := time.Now()
	_, err := c.openEmbedder(ctx, embedderProbe)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("it did not answer within %s; if it is only now loading its model, ask again", embedderProbe)
	}
	if err != nil {
		check.OK, check.Detail = false, fmt.Sprintf("%s gives no vectors, so searches go by words alone: %v", name, err)
		check.Fix = `start its server, or take "embedder" out of the settings for the built-in one; then open the folder again`
	}
	check.Took = time.Since(start)
	return []sandbox.Check{check}
}

// vectorNote says why an index has no vectors, or not all; "" it has them or is to have none.
func (c *core) vectorNote(missing error) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.vectorless != nil {
		missing = c.vectorless
	}
	if missing == nil {
		return ""
	}
	return fmt.Sprintf("no vectors, so searches go by words alone: %v; redgreen doctor says what helps", missing)
}
