package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"

	"redgreen/backend/model"
)

// ErrUnknownKind is returned by Decode for an event of a newer version. Such events are kept, shown by name and left
// out of the fold.
var ErrUnknownKind = errors.New("unknown kind of event")

// Kinds lists all kinds with a zero value of their payload type.
func Kinds() map[Kind]any {
	return map[Kind]any{
		KindStarted:         Started{},
		KindSandboxReady:    SandboxReady{},
		KindMessage:         Message{},
		KindTestsStarted:    TestsStarted{},
		KindBaseline:        TestsFinished{},
		KindStepStarted:     StepStarted{},
		KindModelRequested:  ModelRequested{},
		KindModelReplied:    ModelReplied{},
		KindModelFailed:     ModelFailed{},
		KindToolCalled:      ToolCalled{},
		KindToolFinished:    ToolFinished{},
		KindPatchChanged:    PatchChanged{},
		KindProofStarted:    ProofStarted{},
		KindProofFinished:   ProofFinished{},
		KindCompacted:       Compacted{},
		KindCriteria:        Criteria{},
		KindModelChosen:     ModelChosen{},
		KindForked:          Forked{},
		KindQuestion:        Question{},
		KindReviewAsked:     ReviewAsked{},
		KindReviewAnswered:  ReviewAnswered{},
		KindPatchApplied:    PatchApplied{},
		KindPatchUndone:     PatchApplied{},
		KindApplyFailed:     Failed{},
		KindLimitReached:    LimitReached{},
		KindSessionFinished: Finished{},
	}
}

// Decode reads an event's payload into the type its kind names (by value). A field that the type does not have is kept
// in the event and left out of the result, since a newer version may have added it; any other difference is an error.
func Decode(e Event) (any, error) {
	zero, ok := Kinds()[e.Kind]
	if !ok {
		return nil, fmt.Errorf("event %d: %w %q", e.Seq, ErrUnknownKind, e.Kind)
	}
	p := reflect.New(reflect.TypeOf(zero))
	dec := json.NewDecoder(bytes.NewReader(e.Data))
	if err := dec.Decode(p.Interface()); err != nil {
		return nil, fmt.Errorf("event %d (%s): %w", e.Seq, e.Kind, err)
	}
	if dec.More() {
		return nil, fmt.Errorf("event %d (%s): text behind its data", e.Seq, e.Kind)
	}
	return p.Elem().Interface(), nil
}

// Fold adds one event to a state; pure. An event out of order is an error; one of an unknown kind counts, no more.
func Fold(s State, e Event) (State, error) {
	data, err := Decode(e)
	return fold(s, e, data, err)
}

// fold is Fold of an event that was decoded.
func fold(s State, e Event, data any, err error) (State, error) {
	if e.Seq != s.Seq+1 {
		return s, fmt.Errorf("event %d follows event %d: the record has a gap", e.Seq, s.Seq)
	}
	if err != nil && !errors.Is(err, ErrUnknownKind) {
		return s, err
	}
	s.ID, s.Seq, s.Updated = e.Session, e.Seq, e.Time
	switch d := data.(type) {
	case Started:
		s.Folder, s.Task, s.Model, s.Limits, s.Created = d.Folder, d.Task, d.Model, d.Limits, e.Time
		s.Outcome, s.Priced, s.TaskKind = Running, true, d.TaskKind
	case SandboxReady:
		s.Sandbox, s.Outcome = d, Running
	case TestsFinished:
		s.BaseHash = d.BaseHash
	case StepStarted:
		s.Steps, s.Outcome = d.Step, Running
	case ModelRequested:
		s.Context = d.Tokens
	case ModelReplied:
		s = foldReply(s, d)
	case ToolFinished:
		if d.Part != nil {
			s.Parts = append(s.Parts[:len(s.Parts):len(s.Parts)], *d.Part)
		}
	case PatchChanged:
		s.Patch, s.PatchHash = d.Patch, d.Hash
		s.Proof, s.Certificate = "", nil
	case ProofFinished:
		s.Proof, s.Certificate = d.State, d.Certificate
	case Compacted:
		s = addCost(s, d.Usage, d.MicroUSD, d.Priced)
	case Criteria:
		s.Criteria = d.Items
	case ModelChosen:
		s.Model = d.Model
	case Forked:
		s.Outcome, s.Applied, s.Receipt, s.Question = Running, false, nil, "" // the fork has written nothing, and need not answer
	case Question:
		s.Question, s.Outcome = d.Text, Waiting
	case Message:
		if s.Outcome == Waiting {
			s.Question, s.Outcome = "", Running
		}
	case ReviewAsked:
		s.Summary, s.Label, s.Doubt, s.Outcome = d.Summary, d.Label, d.Doubt, Review
		if len(d.Criteria) > 0 {
			s.Criteria = d.Criteria
		}
	case ReviewAnswered:
		if d.Decision == "reject" || d.Decision == "again" {
			s.Outcome = Running
		}
	case PatchApplied:
		s.Applied, s.Receipt = e.Kind == KindPatchApplied, d.Receipt
	case Finished:
		s.Outcome, s.Question = d.Outcome, ""
		if d.USD != nil { // of another tool's session it may be all that is known, or more than its replies tell
			s.MicroUSD, s.Priced = model.MicroUSD(math.Round(*d.USD*1e6)), true
		}
	}
	return s, nil
}

func foldReply(s State, d ModelReplied) State {
	s = addCost(s, d.Usage, d.MicroUSD, d.Priced)
	s.ModelMillis += d.Millis
	if d.Usage.Known {
		s.Context = d.Usage.Total() - d.Usage.Output
	}
	return s
}

func addCost(s State, u model.Usage, cost model.MicroUSD, priced bool) State {
	s.MicroUSD += cost
	s.Priced = s.Priced && priced
	s.Usage = addUsage(s.Usage, u)
	return s
}

// addUsage adds bucket by bucket; Known says that at least one reply told its usage.
func addUsage(a, b model.Usage) model.Usage {
	return model.Usage{
		Known:        a.Known || b.Known,
		Input:        a.Input + b.Input,
		CacheRead:    a.CacheRead + b.CacheRead,
		CacheWrite:   a.CacheWrite + b.CacheWrite,
		CacheWrite1h: a.CacheWrite1h + b.CacheWrite1h,
		Output:       a.Output + b.Output,
		Reasoning:    a.Reasoning + b.Reasoning,
	}
}
