package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"redgreen/backend/lang"
	"redgreen/backend/model"
	"redgreen/backend/repo"
)

// Kind is a kind of task. It decides what the agent is told to do first and what its result is held to; what proves a
// patch is the same for all: red before, green after, nothing broken.
type Kind string

// The kinds of task.
const (
	Fix      Kind = "fix"      // a bug
	Feature  Kind = "feature"  // something that is not there yet
	Program  Kind = "new"      // a program with its tests, in an empty folder
	Tests    Kind = "tests"    // tests for what is there
	Refactor Kind = "refactor" // another shape, the same behaviour
	Explain  Kind = "explain"  // an answer, no patch
)

// KindOf reads a person's choice; "" leaves it to the text.
func KindOf(name string) (Kind, error) {
	k := Kind(strings.ToLower(strings.TrimSpace(name)))
	if k == "" {
		return "", nil
	}
	for _, row := range kindTable {
		if row.kind == k {
			return k, nil
		}
	}
	return "", fmt.Errorf("the kind of task is fix, feature, new, tests, refactor or explain, not %q", name)
}

// Word is a kind for people.
func (k Kind) Word() string {
	for _, row := range kindTable {
		if row.kind == k {
			return row.word
		}
	}
	return string(k)
}

// ErrNeedsModel is returned for a kind of task that a search over edits cannot do.
var ErrNeedsModel = errors.New("it needs a language model")

// able refuses a kind of task that a model which only searches for edits cannot do.
func able(m model.Info, k Kind) error {
	if !m.Search || k == Fix {
		return nil
	}
	act := map[Kind]string{Program: "write a new program"}[k]
	return fmt.Errorf("the built-in engine cannot %s; %w: start Ollama on this machine (`ollama serve`, then `ollama pull qwen3-coder`), or give a key of a provider in the settings or its variable. "+
		"If the task is to make a failing test pass, choose the kind \"Fix a bug\" (--kind fix)", cmp.Or(act, k.Word()), ErrNeedsModel)
}

// kindRow is what is known of one kind: how a person asks for it, and what the agent is told then.
type kindRow struct {
	kind     Kind
	word     string
	asks     *regexp.Regexp // of the task's text, in lower case
	guidance string
}

const criteriaFirst = "First write the acceptance criteria with write_criteria: inputs, outputs, errors, side effects, what must stay compatible. The person may change them. " +
	"Then write tests from them, each naming its criterion (C1, C2 …) in its name or in a comment, and see them fail; then the code. "

// kindTable is asked from top to bottom; the first row that fits names the kind, and what fits none is a bug to fix.
var kindTable = []kindRow{
	{Explain, "explain", regexp.MustCompile(`^(please )?(explain|describe|summari[sz]e|tell me|show me (how|where|why)|what (is|are|does|do|happens)|how (does|do|is|are)|why (does|do|is|are)|where (is|are|does|do))\b`),
		"Explain; change nothing. Search and read until you are sure, then call finish with the answer as its summary, naming files and lines. A run that changes nothing is right here."},
	{Refactor, "refactor", regexp.MustCompile(`\b(refactor\w*|clean ?up|tidy( up)?|restructur\w+|reorgani[sz]e|simplify|de-?duplicate|rename|extract (a |the |this |that )?\w*|split (the|this|up)|move (the|this) .* (in)?to|without changing (the )?behaviou?r|no behaviou?r change)\b`),
		"Change the shape, never the behaviour. See the whole suite pass first; where what you change has no test, write one that pins what it does now, see it pass, then change the code. Change no expected value. " +
			"Take small steps and run the tests after each. No test turns from red to green here, so the result is shown as checked, not as proven."},
	{Tests, "add tests", regexp.MustCompile(`\b((add|write|create|extend|improve|increase|more|missing)\b.{0,40}\b(tests?|coverage|fuzz\w*|test cases?)|(unit|property|fuzz|regression) tests? (for|of)\b|(test|cover) (the|this|all|every|edge)\b)`),
		"Add tests; leave the code as it is unless a test shows a real fault. Cover edge cases (empty, one, many, largest, smallest, malformed, repeated, other encodings), properties that hold for every input, " +
			"and fuzz targets with a bound on input and time. Stand in for outside systems with realistic fakes: a time-out, a malformed answer, a permission error. " +
			"Give each test, or subtest, a name of its own and let it compare: the system breaks the code on purpose, and a new test that stays green is sent back. If a test shows a fault, keep it and fix the cause."},
	{Fix, "fix a bug", nil, fixGuidance},
	{Program, "new program", nil, programGuidance},
	{Feature, "add a feature", regexp.MustCompile(`^(please |can you |could you |we need( to)? |i want( to)? |i need |let'?s )?(add|implement|support|introduce|allow|enable|provide|create|make it possible|extend|build|write|let (users?|people|callers?))\b`),
		criteriaFirst + "If the wish can be read in two ways that lead to different code, ask with ask_person, once."},
}

// programGuidance is for a folder without code.
const programGuidance = criteriaFirst + "The folder holds no code yet: choose the plainest layout that the language's usual test runner finds, keep to its standard library, and write the tests beside the code. " +
	"Then generate, run, debug: at most three tries at one failure, then another approach."

const fixGuidance = "Reproduce first: a test that fails because of the bug, then the smallest change that fixes the cause."

// tellKind tells the kind of a task from its text, and from whether the folder holds any code; pure. The person can
// overrule it: it is a guess by words, and fix is what it falls back to.
func tellKind(text string, code bool) Kind {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, row := range kindTable {
		broken := complaint
		if row.kind == Explain { // one may ask why something fails without wanting it changed
			broken = demand
		}
		if row.asks == nil || !row.asks.MatchString(text) || broken.MatchString(text) {
			continue
		}
		if code || row.kind == Explain {
			return row.kind
		}
		return Program
	}
	if !code {
		return Program
	}
	return Fix
}

// holdsCode says whether a folder has any file of a language that we know.
func holdsCode(ctx context.Context, r *repo.Repo) (bool, error) {
	files, err := r.Files(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(files, func(f repo.File) bool { _, ok := lang.ByPath(f.Path); return ok }), nil
}

// complaint is how people speak of what is broken; it outweighs what else a text asks for.
var complaint = regexp.MustCompile(`\b(bug|broken|crash(es|ed|ing)?|wrong(ly)?|fails?|failed|failing|fix(es)?|error|exception|traceback|panic(s|ked)?|regression|incorrect(ly)?|should(n't| not)? (be|have|return|give|show)|instead of|doesn'?t|does not|isn'?t|off by)\b`)

// demand is what makes a question a wish.
var demand = regexp.MustCompile(`\b(should|must|fix|repair|instead of)\b`)

func guidanceOf(k Kind) string {
	i := slices.IndexFunc(kindTable, func(r kindRow) bool { return r.kind == k })
	if i < 0 {
		return fixGuidance
	}
	return kindTable[i].guidance
}
