package sandbox

import (
	"context"
	"encoding/json"
	"os"
	"time"
)

// gatePipes hold a bubblewrap back until it is being watched: it tells its pid, says that it stands, and waits for the go.
type gatePipes struct {
	info, ready, goW   *os.File // ours
	infoW, readyW, goR *os.File // theirs
}

func newGate() (*gatePipes, error) {
	g := &gatePipes{}
	var err error
	if g.info, g.infoW, err = os.Pipe(); err == nil {
		if g.goR, g.goW, err = os.Pipe(); err == nil {
			g.ready, g.readyW, err = os.Pipe()
		}
	}
	if err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// theirs are the child's ends in the order of infoFD, goFD, readyFD.
func (g *gatePipes) theirs() []*os.File { return []*os.File{g.infoW, g.goR, g.readyW} }

func (g *gatePipes) closeTheirs() {
	for _, f := range g.theirs() {
		f.Close()
	}
}

func (g *gatePipes) close() {
	for _, f := range []*os.File{g.info, g.ready, g.goW} {
		if f != nil {
			f.Close()
		}
	}
}

// await gives the pid once the program stands; 0 when it does not come so far. It calls kill when ctx ends or after
// gateTime, which ends the pipes.
func (g *gatePipes) await(ctx context.Context, kill func()) int {
	ctx, cancel := context.WithTimeout(ctx, gateTime)
	defer cancel()
	defer context.AfterFunc(ctx, kill)()
	var info struct {
		Pid int `json:"child-pid"`
	}
	if json.NewDecoder(g.info).Decode(&info) != nil {
		return 0
	}
	if _, err := g.ready.Read(make([]byte, 1)); err != nil {
		return 0
	}
	return info.Pid
}

// gateTime is how long bubblewrap may take to set up.
const gateTime = 30 * time.Second

// open lets the program go.
func (g *gatePipes) open() {
	_, _ = g.goW.WriteString("\n") // a program that has died tells by its status
}
