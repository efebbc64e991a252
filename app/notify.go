package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"redgreen/backend/session"
)

// Over tells the page that a session no longer works, and why.
type Over struct {
	Session string          `json:"session"`
	Outcome session.Outcome `json:"outcome"`
}

// Notice is told to a person who looks elsewhere: by the page, in its words. It holds the folder's name and counts, and
// nothing else of a repository or of what a model said, since a desktop shows it on a locked screen and keeps it.
type Notice struct {
	Session string `json:"session"` // what a click on it shows
	Title   string `json:"title"`
	Text    string `json:"text"`
}

// Notify shows a notice on the desktop. A click on it brings the window to the front with the session.
func (a *App) Notify(n Notice) error {
	return a.h.act(func() error {
		if a.h.notify == nil {
			return fail(Unavailable, "there is no message bus here to send a notification by; a browser shows its own")
		}
		return a.h.notify(a.h.context, n)
	})
}

// notifier shows notices by the desktop's own service (org.freedesktop.Notifications). Wails has one too, which takes the
// closing of a notice for a click on it.
type notifier struct {
	bus     *dbus.Conn
	clicked func(session string)

	mu       sync.Mutex
	sessions map[uint32]string // by the notice's number
}

const (
	notifyName   = "org.freedesktop.Notifications"
	notifyPath   = "/org/freedesktop/Notifications"
	notifyWithin = 3 * time.Second
)

// newNotifier listens for clicks until the bus is closed.
func newNotifier(bus *dbus.Conn, clicked func(session string)) (*notifier, error) {
	n := &notifier{bus: bus, clicked: clicked, sessions: map[uint32]string{}}
	if err := bus.AddMatchSignal(dbus.WithMatchInterface(notifyName)); err != nil {
		return nil, fmt.Errorf("listening for clicks on notifications: %w", err)
	}
	signals := make(chan *dbus.Signal, 16)
	bus.Signal(signals)
	go func() { // ends with the bus, which closes the channel
		for s := range signals {
			n.signal(s)
		}
	}()
	return n, nil
}

func (n *notifier) signal(s *dbus.Signal) {
	var number uint32
	if len(s.Body) != 2 || dbus.Store(s.Body[:1], &number) != nil {
		return
	}
	n.mu.Lock()
	id, ours := n.sessions[number]
	if s.Name == notifyName+".NotificationClosed" {
		delete(n.sessions, number)
	}
	n.mu.Unlock()
	if ours && s.Name == notifyName+".ActionInvoked" {
		n.clicked(id)
	}
}

// show shows a notice, in place of an earlier one of the same session.
func (n *notifier) show(ctx context.Context, notice Notice) error {
	ctx, cancel := context.WithTimeout(ctx, notifyWithin)
	defer cancel()
	n.mu.Lock()
	defer n.mu.Unlock()
	var before, number uint32
	for k, id := range n.sessions {
		if id == notice.Session {
			before = k
		}
	}
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant("redgreen")}
	call := n.bus.Object(notifyName, notifyPath).CallWithContext(ctx, notifyName+".Notify", 0,
		"Redgreen", before, "redgreen", notice.Title, notice.Text, []string{"default", "Open"}, hints, int32(-1))
	if err := call.Store(&number); err != nil {
		return fail(Unavailable, fmt.Sprintf("the desktop shows no notifications: %v", err))
	}
	delete(n.sessions, before)
	n.sessions[number] = notice.Session
	return nil
}
