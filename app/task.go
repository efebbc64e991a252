package app

import (
	"strings"

	"redgreen/backend/agent"
	"redgreen/backend/session"
)

// TaskRequest is a task as the page sends it.
type TaskRequest struct {
	Folder   string         `json:"folder"`
	Text     string         `json:"text"`
	Kind     string         `json:"kind"`  // fix, feature, new, tests, refactor, explain; "" told from the text
	Model    string         `json:"model"` // PROVIDER/NAME, "" the default
	Limits   session.Limits `json:"limits"`
	AskEdits bool           `json:"ask_edits"`
	TestCmd  []string       `json:"test_cmd"` // "" the one that is fixed for the folder, else what is found
	TestDir  string         `json:"test_dir"` // the folder that TestCmd runs in, relative to Folder
	Guides   string         `json:"guides"`   // the hash of the guides that the person was shown, see Guides
	Images   [][]byte       `json:"images"`   // pictures that belong to the text, see model.ReadImage
}

// StartTask begins a task and gives its session id at once.
func (a *App) StartTask(t TaskRequest) (string, error) {
	return guard(a.h, func() (string, error) {
		if strings.TrimSpace(t.Text) == "" {
			return "", fail(Invalid, "the task is empty; say what is wrong, for example: the total is off by one cent when a discount applies")
		}
		kind, err := agent.KindOf(t.Kind)
		if err != nil {
			return "", fail(Invalid, err.Error())
		}
		images, err := readImages(t.Images)
		if err != nil {
			return "", err
		}
		f, err := a.h.core.open(t.Folder)
		if err != nil {
			return "", err
		}
		m, err := a.h.core.chooseModel(a.h.context, t.Model, f.repo.Root())
		if err != nil {
			return "", err
		}
		guides, off, err := a.h.core.shownGuides(f.repo, m, t.Guides)
		if err != nil {
			return "", err
		}
		tests := TestCommand{Args: t.TestCmd, Dir: t.TestDir}
		if len(tests.Args) == 0 {
			tests = a.h.core.fixedCommand(f.repo.Root())
		}
		return a.h.runs.start(a.h.context, f, m, agent.Task{Text: t.Text, Images: images, Kind: kind, Limits: withDefaults(t.Limits),
			Approval: "ask", AskEdits: t.AskEdits, TestCmd: tests.Args, TestDir: tests.Dir, NoGuides: off, Guides: guides})
	})
}

// Cancel stops a run, also one that waits for an answer; its record stays.
func (a *App) Cancel(id string) error {
	return a.h.act(func() error {
		if a.h.runs.working(id) {
			return a.h.runs.stop(id)
		}
		return a.h.runs.with(a.h.context, id, func(l *live) error {
			if !l.run.Waits() {
				return fail(Conflict, "this session is not at work")
			}
			if err := l.run.Finish(a.h.context); err != nil {
				return err
			}
			return a.h.runs.done(l)
		})
	})
}

// Pause holds a run at work before its next call of the model or of a tool, or lets it go on; what is under way is done first.
func (a *App) Pause(id string, on bool) error {
	return a.h.act(func() error { return a.h.runs.pause(id, on) })
}

// Say sends a message to a run at work, delivered at its next step; to one that asked a question it is the answer.
func (a *App) Say(id, text string, pictures [][]byte) error {
	return a.h.act(func() error {
		images, err := readImages(pictures)
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return fail(Invalid, "the message is empty")
		}
		return a.h.runs.with(a.h.context, id, func(l *live) error {
			waits := l.run.Waits()
			if err := l.run.Say(a.h.context, text, images...); err != nil || !waits {
				return err
			}
			return a.h.runs.work(l)
		})
	})
}

// EditCriteria puts the person's acceptance criteria in place of a session's; a run at work gets them at its next step.
func (a *App) EditCriteria(id string, criteria []string) error {
	return a.h.act(func() error {
		return a.h.runs.with(a.h.context, id, func(l *live) error { return l.run.EditCriteria(a.h.context, criteria) })
	})
}

// Resume goes on with an interrupted session.
func (a *App) Resume(id string) error {
	return a.h.act(func() error { return a.h.runs.with(a.h.context, id, a.h.runs.work) })
}

// ResumeWith goes on with an interrupted session with another model, which the person chose; "" is the session's own.
func (a *App) ResumeWith(id, ref string) error {
	if ref == "" {
		return a.Resume(id)
	}
	return a.h.act(func() error {
		return a.h.idle(id, func(l *live) error {
			m, err := a.h.core.chooseModel(a.h.context, ref, l.run.Folder())
			if err != nil {
				return err
			}
			if err := l.run.ChooseModel(a.h.context, m); err != nil {
				return err
			}
			return a.h.runs.work(l)
		})
	})
}

// AnswerAsk answers a question that a run waits on.
func (a *App) AnswerAsk(id, askID string, allow bool) error {
	return a.h.act(func() error { return a.h.runs.answer(askID, allow) })
}

// idle does an act on the run of a session that is not at work.
func (h *host) idle(id string, do func(*live) error) error {
	return h.runs.with(h.context, id, func(l *live) error {
		if h.runs.working(id) {
			return fail(Conflict, "the run is still at work; wait for it or cancel it first")
		}
		return do(l)
	})
}
