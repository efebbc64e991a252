package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// window runs the desktop window until the person closes it or ctx ends. Where one is open already it is given what to open,
// which is said in a line.
func window(ctx context.Context, c *core, s startup, say func(line string)) error {
	if !hasWindow {
		return fail(Unavailable, "this build has no window; use `redgreen serve` and a browser, or build with `make build`")
	}
	bus := sessionBus()
	if bus != nil {
		defer bus.Close()
		if done, err := handOver(ctx, bus, c.paths.instance(), s); done || err != nil {
			if done {
				say(s.handed())
			}
			return err
		}
	}
	if err := displayFound(os.Getenv); err != nil {
		return err
	}
	if os.Getenv("WEBKIT_DISABLE_DMABUF_RENDERER") == "" {
		// The usual remedy of a blank window with NVIDIA's driver (wails issues 2977 and 4985); costs nothing elsewhere.
		os.Setenv("WEBKIT_DISABLE_DMABUF_RENDERER", "1")
	}
	// Wails' calls need the context that it gives at start-up; before that, events have nobody to reach.
	var wctx atomic.Pointer[context.Context]
	send := func(name string, payload any) {
		if p := wctx.Load(); p != nil {
			runtime.EventsEmit(*p, name, payload)
		}
	}
	pick := func() (string, error) {
		p := wctx.Load()
		if p == nil {
			return "", fail(Unavailable, "the window is not ready yet")
		}
		return runtime.OpenDirectoryDialog(*p, runtime.OpenDialogOptions{Title: "Open a folder"})
	}
	h, err := newHost(c, "window", send, pick, s)
	if err != nil {
		return err
	}
	h.save = func(name string) (string, error) {
		p := wctx.Load()
		if p == nil {
			return "", fail(Unavailable, "the window is not ready yet")
		}
		return runtime.SaveFileDialog(*p, runtime.SaveDialogOptions{Title: "Save the session", DefaultFilename: name})
	}
	defer h.Close()
	ended := make(chan struct{})
	defer close(ended)
	show := func(s startup) {
		h.open(s)
		if p := wctx.Load(); p != nil {
			runtime.WindowUnminimise(*p)
		}
	}
	var lock *options.SingleInstanceLock
	if bus != nil { // else Wails would start one
		lock = &options.SingleInstanceLock{UniqueId: c.paths.instance(), OnSecondInstanceLaunch: func(d options.SecondInstanceData) { show(asked(d.Args, d.WorkingDirectory)) }}
		if n, err := newNotifier(bus, func(session string) { show(startup{session: session}) }); err != nil {
			c.log.Warn("opening the window", slog.Any("error", err))
		} else {
			h.notify = n.show
		}
	}
	at, state := loadPlace(c.paths.place()), options.Normal
	if at.Maximised {
		state = options.Maximised
	}
	keep := sync.OnceFunc(func() {
		if err := lookWindow().save(c.paths.place()); err != nil {
			c.log.Warn("closing the window", slog.Any("error", err))
		}
	})
	items, err := readMenu(c.assets.Page)
	if err != nil {
		return err
	}
	recent, err := c.recent(ctx)
	if err != nil {
		return err
	}
	var folders menuFolders
	list := func(recent []Recent) { listFolders(recentLabel(items), folders.set(recent)) }
	folders.set(recent)
	acts := menuActs{open: func(path string) { h.open(startup{folder: path}) }, do: func(id string) {
		if p := wctx.Load(); id == "quit" && p != nil {
			runtime.Quit(*p)
			return
		}
		send("command", id)
	}}
	h.themed, h.listed, h.copied = themeWindow, list, copiedPicture
	return wails.Run(&options.App{
		SingleInstanceLock: lock,
		Menu:               nativeMenu(items, &folders, acts),
		Title:              "Redgreen", Width: at.Width, Height: at.Height, MinWidth: minWidth, MinHeight: minHeight, WindowStartState: state,
		AssetServer:      &assetserver.Options{Assets: c.assets.Page},
		BackgroundColour: &options.RGBA{R: 20, G: 19, B: 18, A: 255},
		Bind:             []any{&App{h: h}},
		DragAndDrop:      &options.DragAndDrop{EnableFileDrop: true},
		ErrorFormatter:   formatError,
		Linux:            &linux.Options{WebviewGpuPolicy: linux.WebviewGpuPolicyNever, ProgramName: "redgreen", Icon: c.assets.Icon},
		Mac:              &mac.Options{OnUrlOpen: func(url string) { show(asked([]string{url}, "")) }},
		OnBeforeClose: func(context.Context) bool {
			keep()
			return quitWindow()
		},
		OnStartup: func(w context.Context) {
			wctx.Store(&w)
			themeWindow(c.current().Theme)
			putWindow(at.within(screens()))
			list(recent)
			runtime.OnFileDrop(w, h.dropped)
			go func() {
				select {
				case <-ctx.Done():
					runtime.Quit(w)
				case <-ended:
				}
			}()
		},
	})
}

// formatError gives the page an error as JSON text: Wails makes a JavaScript Error of it, whose message is a string.
func formatError(err error) any {
	text, err := json.Marshal(explain(err))
	if err != nil {
		return `{"code":"internal","message":"an error that cannot be shown"}`
	}
	return string(text)
}

// errNoDisplay says that no window can be opened here.
var errNoDisplay = errors.New("there is no display for a window; use `redgreen serve` and a browser, or `redgreen fix FOLDER -m \"what is wrong\"`")

func displayFound(env func(string) string) error {
	if goruntime.GOOS == "linux" && env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
		return &Error{Code: Unavailable, Message: errNoDisplay.Error(), err: errNoDisplay}
	}
	return nil
}
