package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"redgreen/backend/policy"
	"redgreen/backend/repo"
	"redgreen/backend/sandbox"
	"redgreen/backend/testrun"
)

// runnerOptions are what every runner of a folder's tests has: the images that the person chose, and what was installed.
func (c *core) runnerOptions(root, image string) testrun.Options {
	s := c.current()
	o := testrun.Options{Source: root, Seed: c.paths.seed(), Prepared: c.paths.prepared(), Image: image, Images: maps.Clone(s.Images.Languages)}
	if o.Image == "" {
		o.Image = s.Images.Folders[root]
	}
	return o
}

// PreparePlan is what installing a folder's dependencies would do.
type PreparePlan struct {
	Folder string         `json:"folder"`
	Hash   string         `json:"hash"` // of the steps: what the person saw
	Steps  []testrun.Step `json:"steps"`
}

// hashed fills in the hash, which tells a plan whose commands or hosts are others.
func (p PreparePlan) hashed() PreparePlan {
	data, err := json.Marshal(p.Steps)
	if err != nil { // a step is of texts alone
		panic(err)
	}
	p.Hash = fmt.Sprintf("%x", sha256.Sum256(data))
	return p
}

// PrepareReport is what was done.
type PrepareReport struct {
	Folder string             `json:"folder"`
	Steps  []testrun.Prepared `json:"steps"`
	OK     bool               `json:"ok"` // every step
}

// stoppable are long works that a person started, by what they are on: the same is not done twice at once, and can be
// stopped.
type stoppable struct {
	mu   sync.Mutex
	live map[string]context.CancelFunc
}

// begin gives a context that cancel ends; busy is the error where it is being done already.
func (p *stoppable) begin(ctx context.Context, key, busy string) (context.Context, func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live[key] != nil {
		return nil, nil, fail(Conflict, busy)
	}
	ctx, cancel := context.WithCancel(ctx)
	if p.live == nil {
		p.live = map[string]context.CancelFunc{}
	}
	p.live[key] = cancel
	return ctx, func() {
		cancel()
		p.mu.Lock()
		delete(p.live, key)
		p.mu.Unlock()
	}, nil
}

func (p *stoppable) cancel(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	cancel := p.live[key]
	if cancel != nil {
		cancel()
	}
	return cancel != nil
}

// preparePlan reads a folder's lockfiles.
func (c *core) preparePlan(r *repo.Repo, image string) (PreparePlan, *testrun.Runner, error) {
	box, err := c.sandbox(r.Root())
	if err != nil {
		return PreparePlan{}, nil, err
	}
	o := c.runnerOptions(r.Root(), image)
	o.Sandbox = box
	runner := testrun.New(o)
	steps, err := runner.Plan(r.Root())
	return PreparePlan{Folder: r.Root(), Steps: steps}.hashed(), runner, err
}

// prepare runs the steps of a plan that the person has agreed to; phase is told what is being done.
func (c *core) prepare(ctx context.Context, r *repo.Repo, plan PreparePlan, runner *testrun.Runner, allow []string, phase func(string)) (report PrepareReport, err error) {
	report = PrepareReport{Folder: plan.Folder, Steps: []testrun.Prepared{}, OK: true}
	if err := checkHosts(allow); err != nil {
		return report, err
	}
	// The policy's question is this call: the person saw the commands and the hosts.
	if policy.Decide(policy.Act{Kind: policy.Network, Object: plan.Hash}, policy.Settings{}) == policy.Deny {
		return report, fail(Denied, "the policy lets nothing reach the network")
	}
	box, err := c.sandbox(r.Root())
	if err != nil {
		return report, err
	}
	dir, done, err := c.tempDir()
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, done()) }()
	uid, gid, chown := box.Owner()
	w, err := r.NewWorkspace(ctx, filepath.Join(dir, "workspace"), repo.CopyOptions{UID: uid, GID: gid, Chown: chown})
	if err != nil {
		return report, err
	}
	defer w.Close()
	for _, s := range plan.Steps {
		if s.Ready {
			continue
		}
		phase("Installing what " + s.Lockfile + " names, with " + s.Name)
		p, err := runner.Prepare(ctx, w.Dir(), s, testrun.PrepareOptions{Allow: allow})
		if err != nil {
			return report, err
		}
		report.Steps = append(report.Steps, p)
		report.OK = report.OK && p.OK
	}
	return report, nil
}

// checkHosts refuses what is no host name.
func checkHosts(hosts []string) error {
	for _, h := range hosts {
		if h == "" || len(h) > 253 || strings.ToLower(h) != h || strings.ContainsAny(h, "/:*@ \t\\") || !strings.Contains(h, ".") {
			return fail(Invalid, fmt.Sprintf("%q is not a host name; name it like registry.example.org, in lower case, without https:// and without a port", h))
		}
	}
	return nil
}

// PreparePlan lists what installing a folder's dependencies would run and reach. Nothing is run.
func (a *App) PreparePlan(folder string) (PreparePlan, error) {
	return guard(a.h, func() (PreparePlan, error) {
		f, err := a.h.core.open(folder)
		if err != nil {
			return PreparePlan{}, err
		}
		plan, _, err := a.h.core.preparePlan(f.repo, "")
		return plan, err
	})
}

// Prepare runs the installations of a plan. Call it only when the person has seen the plan's commands and hosts and said
// yes: hash is the hash of that plan, and a plan that is no longer the same is refused; allow are more hosts that they
// named. It returns when all is done and sends "prepare" events {folder, text}
// meanwhile.
func (a *App) Prepare(folder, hash string, allow []string) (PrepareReport, error) {
	return guard(a.h, func() (PrepareReport, error) {
		f, err := a.h.core.open(folder)
		if err != nil {
			return PrepareReport{}, err
		}
		ctx, done, err := a.h.preparing.begin(a.h.context, f.repo.Root(), "the dependencies of this folder are being installed already")
		if err != nil {
			return PrepareReport{}, err
		}
		defer done()
		plan, runner, err := a.h.core.preparePlan(f.repo, "")
		if err != nil {
			return PrepareReport{}, err
		}
		if plan.Hash != hash {
			return PrepareReport{}, fail(Conflict, "what would be installed has changed since it was shown; nothing was run. Look at it again")
		}
		tell := func(text string) {
			a.h.send("prepare", map[string]string{"folder": f.repo.Root(), "text": text})
		}
		defer tell("")
		return a.h.core.prepare(ctx, f.repo, plan, runner, allow, tell)
	})
}

// Toolchains says which toolchain each test command of a folder gets and where it comes from, as lines of the doctor.
func (a *App) Toolchains(folder string) ([]sandbox.Check, error) {
	return guard(a.h, func() ([]sandbox.Check, error) {
		f, err := a.h.core.open(folder)
		if err != nil {
			return nil, err
		}
		return testrun.New(a.h.core.runnerOptions(f.repo.Root(), "")).Toolchains(f.repo.Root())
	})
}

// CancelPrepare stops an installation.
func (a *App) CancelPrepare(folder string) error {
	return a.h.act(func() error {
		f, err := a.h.core.open(folder)
		if err != nil {
			return err
		}
		if !a.h.preparing.cancel(f.repo.Root()) {
			return fail(Conflict, "nothing is being installed for this folder")
		}
		return nil
	})
}

func (c *command) prepareCommand() *cobra.Command {
	var yes bool
	var allow []string
	var image string
	cmd := &cobra.Command{
		Use:   "prepare FOLDER",
		Short: "Install what a folder's lockfiles name, so that its tests can run",
		Long: "Shows the exact commands and the hosts that they may reach, and asks. The commands run in the sandbox on a\n" +
			"disposable copy; its only way out is a filter that lets through the hosts on the list and logs the rest. What was\n" +
			"installed is kept outside the folder for as long as the lockfile stays the same, and shown read-only to its tests.",
		Example: "  redgreen prepare .\n  redgreen prepare . --yes --allow npm.example.org",
		Args:    exactly("a FOLDER", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, r, err := c.openRepo(args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			return c.prepare(cmd.Context(), r, yes, allow, image)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().StringSliceVar(&allow, "allow", nil, "let `HOST` be reached too, such as a mirror; may be given again")
	cmd.Flags().StringVar(&image, "image", "", "install for tests in `IMAGE` instead of the host's toolchains")
	return cmd
}

// prepare shows the plan, asks, runs it and says what became of it.
func (c *command) prepare(ctx context.Context, r *repo.Repo, yes bool, allow []string, image string) error {
	if err := checkHosts(allow); err != nil {
		return err
	}
	plan, runner, err := c.core.preparePlan(r, image)
	if err != nil {
		return err
	}
	open := 0
	for _, s := range plan.Steps {
		c.printStep(s, allow)
		if !s.Ready && s.Problem == "" {
			open++
		}
	}
	switch {
	case len(plan.Steps) == 0:
		fmt.Fprintln(c.out, "no lockfile was found, so there is nothing to install")
		return nil
	case open == 0 && !slices.ContainsFunc(plan.Steps, func(s testrun.Step) bool { return s.Problem != "" }):
		return nil
	case open > 0 && !yes:
		if !c.tty {
			return fail(Denied, "nothing was installed: there is nobody to ask; say --yes if these commands may run and reach these hosts")
		}
		fmt.Fprint(c.err, "Run this now? [y/N] ")
		line, _ := c.lines().ReadString('\n') // the end of the input is a no
		if a := strings.ToLower(strings.TrimSpace(line)); a != "y" && a != "yes" {
			return fail(Denied, "nothing was installed")
		}
	}
	report, err := c.core.prepare(ctx, r, plan, runner, allow, func(text string) { fmt.Fprintln(c.err, printable(text, 500)) })
	if err != nil {
		return err
	}
	for _, p := range report.Steps {
		c.printPrepared(p)
	}
	if !report.OK {
		return &exit{code: exitNot}
	}
	return nil
}

func (c *command) printStep(s testrun.Step, allow []string) {
	fmt.Fprintf(c.out, "%s (%s)\n", printable(s.Lockfile, 300), s.Name)
	if s.Ready {
		fmt.Fprintln(c.out, "  installed already")
		return
	}
	if s.Problem != "" {
		fmt.Fprintln(c.out, "  cannot be installed:", printable(s.Problem, 300))
		return
	}
	for _, a := range s.Commands {
		fmt.Fprintln(c.out, "  runs    ", printable(strings.Join(a, " "), 1000))
	}
	fmt.Fprintln(c.out, "  reaches ", strings.Join(append(slices.Clone(s.Hosts), allow...), ", "))
}

func (c *command) printPrepared(p testrun.Prepared) {
	if p.OK {
		fmt.Fprintf(c.out, "%s: installed in %.1f s, in a %s (%s)\n", printable(p.Lockfile, 300), float64(p.Millis)/1000, p.Runtime.Label, p.Runtime.Name)
	} else {
		fmt.Fprintf(c.out, "%s: failed: %s\n%s\n", printable(p.Lockfile, 300), printable(p.Reason, 500), visible(p.Log))
	}
	for _, w := range p.Runtime.Warnings {
		fmt.Fprintln(c.out, "  note:", w)
	}
	for _, x := range p.Refused {
		fmt.Fprintf(c.out, "  refused %s:%s, %d times: %s\n", printable(x.Host, 255), printable(x.Port, 5), x.Times, printable(x.Reason, 200))
	}
}
