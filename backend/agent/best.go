package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"redgreen/backend/patch"
	"redgreen/backend/session"
)

// state is a state of the workspace that the whole suite ran over.
type state struct {
	patch patch.Patch
	hash  string
	step  int
	red   int
}

// best is the state with the fewest red tests, where the present one is known to have more; pure. Only runs of the whole
// suite that gave a verdict count. Of equals the latest is best.
func best(events []entry) (s state, better bool) {
	var now state
	var ran []state
	whole := map[string]bool{}
	saw := func(r session.Run) {
		if r.Reason == "" && r.Passed+r.Failed > 0 {
			now.red = r.Failed
			ran = append(ran, now)
		}
	}
	for _, e := range events {
		switch d := e.data.(type) {
		case session.PatchChanged:
			now = state{patch: d.Patch, hash: d.Hash, step: d.Step}
		case session.ToolCalled:
			var a struct{ Paths []string }
			whole[d.CallID] = json.Unmarshal([]byte(d.Args), &a) == nil && len(a.Paths) == 0
		case session.ToolFinished:
			if d.Run != nil && whole[d.CallID] {
				saw(*d.Run)
			}
		case session.ProofFinished:
			saw(d.Run)
		case session.ReviewAnswered:
			if d.Changed != "" {
				ran = nil // what the person chose is not given up for what it was chosen from
			}
		}
	}
	known := false
	for _, r := range ran {
		if s.hash == "" || r.red <= s.red {
			s = r
		}
		if r.hash == now.hash {
			known, now.red = true, r.red
		}
	}
	return s, known && s.hash != now.hash && s.red < now.red && !s.patch.Empty()
}

// backToBest puts the workspace back to its best state before a run ends at a limit, and says so.
func (r *Run) backToBest(ctx context.Context) (string, error) {
	s, better := best(r.history())
	if !better || r.bench == nil {
		return "", nil
	}
	if err := r.turnTo(r.log.State().Patch, s.patch); err != nil {
		return "", fmt.Errorf("going back to the best state: %w", err)
	}
	return fmt.Sprintf("; the best state, after step %d with %d tests red, is what is left of it", s.step, s.red), r.patchChanged(ctx, s.step, nil)
}

// turnTo takes the workspace from one state to another, both as changes of the base.
func (r *Run) turnTo(from, to patch.Patch) error {
	err := r.bench.ws.Apply(from.Invert())
	if err == nil {
		if err = r.bench.ws.Apply(to); err != nil {
			err = errors.Join(err, r.bench.ws.Apply(from))
		}
	}
	return err
}
