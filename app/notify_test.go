package app

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"
)

func TestNotifyGoesToTheDesktop(t *testing.T) {
	t.Parallel()
	h, err := newHost(testCore(t), "window", func(string, any) {}, nil, startup{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	want := Notice{Session: "s1", Title: "Proven — shop", Text: "1 red → green"}
	var none *Error
	if err := (&App{h: h}).Notify(want); !errors.As(err, &none) || none.Code != Unavailable {
		t.Errorf("without a desktop: %v", err)
	}
	var got []Notice
	h.notify = func(_ context.Context, n Notice) error { got = append(got, n); return nil }
	if err := (&App{h: h}).Notify(want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Notice{want}, got); diff != "" {
		t.Error(diff)
	}
}

// shown is a notice as a desktop gets it.
type shown struct {
	App      string
	Replaces uint32
	Icon     string
	Title    string
	Text     string
	Actions  []string
}

// desktop stands for the desktop's service: it counts notices from 7 on and keeps them.
type desktop struct{ got chan shown }

func (d desktop) Notify(app string, replaces uint32, icon, title, text string, actions []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	d.got <- shown{app, replaces, icon, title, text, actions}
	if replaces != 0 {
		return replaces, nil
	}
	return 7, nil
}

// startDesktop starts the service on the bus at an address.
func startDesktop(t *testing.T, bus string) (*dbus.Conn, desktop) {
	t.Helper()
	conn, err := dbus.Connect(bus)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	d := desktop{got: make(chan shown, 8)}
	if err := conn.Export(d, notifyPath, notifyName); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(notifyName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return conn, d
}

// TestNotifierOnABus shows notices to a service on a real message bus and clicks on them.
func TestNotifierOnABus(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("dbus-daemon is not here; install it with: apt-get install dbus")
		}
		t.Skip("dbus-daemon is not here")
	}
	bus := startBus(t)
	ours, err := dbus.Connect(bus)
	if err != nil {
		t.Fatal(err)
	}
	clicks := make(chan string, 8)
	n, err := newNotifier(ours, func(session string) { clicks <- session })
	if err != nil {
		t.Fatal(err)
	}
	if err := n.show(t.Context(), Notice{Session: "early"}); err == nil {
		t.Error("a notice was shown where nobody shows any")
	}
	service, d := startDesktop(t, bus)
	for _, want := range []shown{
		{App: "Redgreen", Icon: "redgreen", Title: "Asks you — shop", Text: "It waits.", Actions: []string{"default", "Open"}},
		{App: "Redgreen", Replaces: 7, Icon: "redgreen", Title: "Proven — shop", Text: "1 red → green", Actions: []string{"default", "Open"}},
	} {
		if err := n.show(t.Context(), Notice{Session: "s1", Title: want.Title, Text: want.Text}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, <-d.got); diff != "" {
			t.Error(diff)
		}
	}
	emit := func(name string, args ...any) {
		t.Helper()
		if err := service.Emit(notifyPath, notifyName+"."+name, args...); err != nil {
			t.Fatal(err)
		}
	}
	emit("ActionInvoked", uint32(99), "default") // another program's
	emit("ActionInvoked", "no number", "default")
	emit("ActionInvoked", uint32(7), "default")
	emit("NotificationClosed", uint32(7), uint32(2)) // closing it is no click on it
	emit("ActionInvoked", uint32(7), "default")      // and then it is gone
	select {
	case got := <-clicks:
		if got != "s1" {
			t.Errorf("a click on the notice of s1 showed %q", got)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the click did not come")
	}
	select {
	case got := <-clicks:
		t.Errorf("a second click, on %q, was heard", got)
	case <-time.After(300 * time.Millisecond):
	}
	if err := ours.Close(); err != nil {
		t.Fatal(err)
	}
}
