package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/sandbox"
)

func TestZZ(t *testing.T) {
	dir, _ := os.MkdirTemp("/var/tmp", "rg-eval-")
	defer os.RemoveAll(dir)
	os.Chmod(dir, 0o711)
	box, err := sandbox.Open(sandbox.Options{Dir: filepath.Join(dir, "sandbox")})
	if err != nil {
		t.Fatal(err)
	}
	s, err := load(samplesDir, os.Getenv("ZZ"))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Samples: samplesDir, Sandbox: box, Dir: dir, Seed: os.Getenv("HOME") + "/.cache/redgreen-seed-b"}
	os.MkdirAll(o.Seed, 0o755)
	h, err := open(o, s.name, s.files)
	if err != nil {
		t.Fatal(err)
	}
	h.o.Model = scripted(model.NewScript(s.replies))
	run, err := agent.New(t.Context(), h.o, agent.Task{Text: s.task, Kind: agent.Fix})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(run.Work(t.Context()))
	ev, _ := h.o.Store.Events(t.Context(), run.ID(), 0, 0)
	ms, _ := agent.Conversation(ev)
	tt, err := measure(t.Context(), h, s, ev)
	fmt.Printf("%+v %v\n", tt, err)
	for i, m := range ms {
		fmt.Printf("##### %d %s %d tokens\n", i, m.Role, model.CountTokens(model.Request{Messages: []model.Message{m}}))
		fmt.Println(m.Text)
		for _, c := range m.Calls {
			fmt.Println("  CALL", c.Name, c.Args)
		}
		for _, r := range m.Results {
			fmt.Println("  RESULT", r.Name, len(r.Text))
			fmt.Println(r.Text)
		}
	}
	run.Close()
	h.done()
}
