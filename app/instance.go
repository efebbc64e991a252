package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/wailsapp/wails/v2/pkg/options"
)

// A person has one window. A second `redgreen` hands what it was asked to open to the window that is there, over the message
// bus of the desktop session (D-Bus), and ends. Wails listens there; the call is made here, since Wails' own would end the
// second process with status 1 and no word. Without a bus, as over ssh, each `redgreen` opens a window of its own.

// handOverWithin is how long an open window may take to answer.
const handOverWithin = 5 * time.Second

// instance names the one window of a data folder: another REDGREEN_HOME is another Redgreen.
func (p Paths) instance() string {
	sum := sha256.Sum256([]byte(p.Data))
	return "redgreen_" + hex.EncodeToString(sum[:6])
}

// sessionBus connects to the session's bus; nil where there is none. It never starts one.
func sessionBus() *dbus.Conn {
	conn, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return nil
	}
	if conn.Auth(nil) != nil || conn.Hello() != nil {
		_ = conn.Close()
		return nil
	}
	return conn
}

// handOver gives what is to be opened to the window of the instance that is open already; done is false where there is none.
func handOver(ctx context.Context, bus *dbus.Conn, instance string, s startup) (done bool, err error) {
	message, err := json.Marshal(options.SecondInstanceData{Args: s.args()})
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, handOverWithin)
	defer cancel()
	wails := "wails_app_" + instance // the names that Wails gives its lock
	name, path := "org."+wails+".SingleInstance", dbus.ObjectPath("/org/"+wails+"/SingleInstance")
	err = bus.Object(name, path).CallWithContext(ctx, name+".SendMessage", dbus.FlagNoAutoStart, string(message)).Store()
	var refused dbus.Error
	if errors.As(err, &refused) && slices.Contains([]string{"org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner"}, refused.Name) {
		return false, nil
	}
	if err != nil {
		return false, fail(Unavailable, fmt.Sprintf("a window of Redgreen is open already, but it does not answer (%v); close it, or end its process, and try again", err))
	}
	return true, nil
}

// args are the arguments that open the same again, whatever the folder they are given in.
func (s startup) args() []string {
	switch {
	case s.session != "":
		return []string{linkScheme + "session/" + s.session}
	case s.folder != "":
		return []string{s.folder}
	}
	return []string{}
}

// asked reads the arguments of a second `redgreen` that was started in dir. What is neither a link nor a path opens nothing.
func asked(args []string, dir string) startup {
	for _, arg := range args {
		if id, isLink, err := linkedSession(arg); isLink {
			if err != nil {
				return startup{}
			}
			return startup{session: id}
		}
		if arg == "" || strings.HasPrefix(arg, "-") {
			continue
		}
		path := expandHome(arg)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return startup{folder: path}
	}
	return startup{}
}

// handed says in a line what the open window shows now.
func (s startup) handed() string {
	switch {
	case s.session != "":
		return "Redgreen is open already; its window shows session " + s.session + " now."
	case s.folder != "":
		return "Redgreen is open already; its window shows " + s.folder + " now."
	}
	return "Redgreen is open already; its window is in front now."
}
