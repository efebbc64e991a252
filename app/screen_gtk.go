//go:build desktop && linux

package app

/*
#cgo pkg-config: gtk+-3.0
#include <gtk/gtk.h>
#include <stdlib.h>
#include <string.h>

// A job runs on GTK's own thread while another waits for it.
typedef struct {
	void (*run)(void *);
	void *with;
	GMutex lock;
	GCond ended;
	gboolean done;
} job;

static gboolean work(gpointer p) {
	job *j = p;
	j->run(j->with);
	g_mutex_lock(&j->lock);
	j->done = TRUE;
	g_cond_signal(&j->ended);
	g_mutex_unlock(&j->lock);
	return G_SOURCE_REMOVE;
}

static void on_main(void (*run)(void *), void *with) {
	job j = {.run = run, .with = with};
	g_mutex_init(&j.lock);
	g_cond_init(&j.ended);
	g_idle_add(work, &j);
	g_mutex_lock(&j.lock);
	while (!j.done) g_cond_wait(&j.ended, &j.lock);
	g_mutex_unlock(&j.lock);
	g_mutex_clear(&j.lock);
	g_cond_clear(&j.ended);
}

static GtkWindow *main_window(void) {
	GtkWindow *found = NULL;
	GList *all = gtk_window_list_toplevels();
	for (GList *l = all; l; l = l->next)
		if (gtk_window_get_window_type(l->data) == GTK_WINDOW_TOPLEVEL && !GTK_IS_DIALOG(l->data) && gtk_widget_get_window(l->data)) found = l->data;
	g_list_free(all);
	return found;
}

typedef struct {
	int n;
	GdkRectangle area[16];
} screens_t;

static void find_screens(void *to) {
	screens_t *s = to;
	GdkDisplay *d = gdk_display_get_default();
	for (int i = 0; i < gdk_display_get_n_monitors(d) && s->n < 16; i++) {
		GdkMonitor *m = gdk_display_get_monitor(d, i);
		gdk_monitor_get_workarea(m, &s->area[s->n++]);
		if (gdk_monitor_is_primary(m)) {
			GdkRectangle first = s->area[s->n - 1];
			s->area[s->n - 1] = s->area[0];
			s->area[0] = first;
		}
	}
}

typedef struct {
	GdkRectangle at;
	int maximised, min_width, min_height;
} place_t;

static place_t last; // used on GTK's thread alone
static guint waiting;

// note keeps where the window stands, unless it is maximised or put away.
static gboolean note(gpointer unused) {
	waiting = 0;
	GtkWindow *w = main_window();
	if (!w) return G_SOURCE_REMOVE;
	GdkWindowState state = gdk_window_get_state(gtk_widget_get_window(GTK_WIDGET(w)));
	last.maximised = (state & GDK_WINDOW_STATE_MAXIMIZED) != 0;
	if (!(state & (GDK_WINDOW_STATE_MAXIMIZED | GDK_WINDOW_STATE_FULLSCREEN | GDK_WINDOW_STATE_ICONIFIED))) {
		gtk_window_get_position(w, &last.at.x, &last.at.y);
		gtk_window_get_size(w, &last.at.width, &last.at.height);
	}
	return G_SOURCE_REMOVE;
}

// changed waits for the end of a change: a maximised window has its new size a moment before its new state.
static gboolean changed(GtkWidget *w, GdkEvent *e, gpointer unused) {
	if (waiting) g_source_remove(waiting);
	waiting = g_timeout_add(300, note, NULL);
	return FALSE;
}

static void put(void *from) {
	place_t *p = from;
	GtkWindow *w = main_window();
	if (!w) return;
	last = *p;
	GdkGeometry least = {.min_width = p->min_width, .min_height = p->min_height};
	gtk_window_set_geometry_hints(w, NULL, &least, GDK_HINT_MIN_SIZE);
	if (!p->maximised) {
		gtk_window_resize(w, p->at.width, p->at.height);
		gtk_window_move(w, p->at.x, p->at.y);
	}
	g_signal_connect(w, "configure-event", G_CALLBACK(changed), NULL);
}

static void look(void *to) {
	if (waiting) g_source_remove(waiting);
	note(NULL);
	*(place_t *)to = last;
}

// theme is "dark", "light", or as the system has it.
static void theme(void *to) {
	GtkSettings *s = gtk_settings_get_default();
	const char *name = "gtk-application-prefer-dark-theme";
	if (!strcmp(to, "dark") || !strcmp(to, "light")) g_object_set(s, name, !strcmp(to, "dark"), NULL);
	else gtk_settings_reset_property(s, name);
}

// folders_t are what the places of one of the menu's menus are to say.
typedef struct {
	const char *menu;
	int n;
	char *says[16];
} folders_t;

static void find_bar(GtkWidget *w, gpointer to) {
	if (GTK_IS_MENU_BAR(w)) *(GtkWidget **)to = w;
	else if (GTK_IS_CONTAINER(w)) gtk_container_foreach(GTK_CONTAINER(w), find_bar, to);
}

// list_folders gives the places of a menu within a menu their labels; those that say nothing, and a menu of such alone, are hidden.
static void list_folders(void *from) {
	folders_t *f = from;
	GtkWindow *w = main_window();
	GtkWidget *bar = NULL;
	if (w) find_bar(GTK_WIDGET(w), &bar);
	if (!bar) return;
	GList *menus = gtk_container_get_children(GTK_CONTAINER(bar));
	for (GList *m = menus; m; m = m->next) {
		GtkWidget *sub = gtk_menu_item_get_submenu(m->data);
		GList *items = sub ? gtk_container_get_children(GTK_CONTAINER(sub)) : NULL;
		for (GList *i = items; i; i = i->next) {
			const char *label = GTK_IS_SEPARATOR_MENU_ITEM(i->data) ? NULL : gtk_menu_item_get_label(i->data);
			GtkWidget *places = label && !strcmp(label, f->menu) ? gtk_menu_item_get_submenu(i->data) : NULL;
			if (!places) continue;
			GList *all = gtk_container_get_children(GTK_CONTAINER(places));
			int at = 0;
			for (GList *p = all; p && at < f->n; p = p->next, at++) {
				gtk_menu_item_set_label(p->data, f->says[at]);
				gtk_widget_set_visible(p->data, *f->says[at] != 0);
			}
			gtk_widget_set_visible(i->data, f->n > 0 && *f->says[0] != 0);
			g_list_free(all);
		}
		g_list_free(items);
	}
	g_list_free(menus);
}

// quit ends GTK's loop from within it: ended twice, or from outside when it has just ended, GTK crashes.
static gboolean quit(gpointer unused) {
	if (gtk_main_level() == 0) return G_SOURCE_CONTINUE; // it has not begun
	gtk_main_quit();
	return G_SOURCE_REMOVE;
}

typedef struct {
	guchar *data;
	gsize size, most;
} copied_t;

// copied gives the picture on the clipboard, in the first of the formats that its owner offers.
static void copied(void *to) {
	copied_t *c = to;
	const char *kinds[] = {"image/png", "image/jpeg", "image/webp", "image/gif"};
	for (int i = 0; i < 4 && !c->size; i++) {
		GtkSelectionData *d = gtk_clipboard_wait_for_contents(gtk_clipboard_get(GDK_SELECTION_CLIPBOARD), gdk_atom_intern_static_string(kinds[i]));
		if (!d) continue;
		if (gtk_selection_data_get_length(d) > 0) {
			c->size = MIN((gsize)gtk_selection_data_get_length(d), c->most);
			c->data = malloc(c->size);
			memcpy(c->data, gtk_selection_data_get_data(d), c->size);
		}
		gtk_selection_data_free(d);
	}
}

static void rg_copied(copied_t *c) { on_main(copied, c); }
static void rg_quit(void) { g_idle_add(quit, NULL); }
static void rg_folders(folders_t *f) { on_main(list_folders, f); }
static void rg_theme(char *to) { on_main(theme, to); }
static void rg_screens(screens_t *s) { on_main(find_screens, s); }
static void rg_put(place_t *p) { on_main(put, p); }
static void rg_look(place_t *p) { on_main(look, p); }
*/
import "C"

import (
	"image"
	"unsafe"

	"redgreen/backend/model"
)

// Wails tells how large the screens are but not where, and moves a window only within the screen that it is on; so this asks
// GTK itself. Each call waits for GTK's thread, which works from OnStartup until the window is closed.

// screens are the parts of all screens that panels leave free, the primary one first.
func screens() []image.Rectangle {
	var s C.screens_t
	C.rg_screens(&s)
	var out []image.Rectangle
	for _, a := range s.area[:s.n] {
		out = append(out, image.Rect(int(a.x), int(a.y), int(a.x+a.width), int(a.y+a.height)))
	}
	return out
}

// putWindow moves the window, which from then on can be looked at. A maximised one is moved when it is no longer.
func putWindow(p place) {
	c := C.place_t{min_width: minWidth, min_height: minHeight}
	c.at.x, c.at.y, c.at.width, c.at.height = C.int(p.X), C.int(p.Y), C.int(p.Width), C.int(p.Height)
	if p.Maximised {
		c.maximised = 1
	}
	C.rg_put(&c)
}

// lookWindow says where the window stands.
func lookWindow() place {
	var c C.place_t
	C.rg_look(&c)
	return place{X: int(c.at.x), Y: int(c.at.y), Width: int(c.at.width), Height: int(c.at.height), Maximised: c.maximised != 0}
}

// themeWindow makes the menu and the dialogs light or dark, or as the system has it.
func themeWindow(to string) {
	c := C.CString(to)
	defer C.free(unsafe.Pointer(c))
	C.rg_theme(c)
}

// quitWindow closes the window and says that it does, so that Wails does not: both a signal and what else ends the program may
// ask at once, and Wails would end GTK's loop twice. From any goroutine.
func quitWindow() bool {
	C.rg_quit()
	return true
}

// copiedPicture is the picture on the clipboard as far as one may go, and a byte more that tells that it goes further; nil none.
// WebKitGTK 2.50.6 tells the page that something is pasted and not what.
func copiedPicture() []byte {
	c := C.copied_t{most: model.MaxImage + 1}
	C.rg_copied(&c)
	defer C.free(unsafe.Pointer(c.data))
	return C.GoBytes(unsafe.Pointer(c.data), C.int(c.size))
}

// listFolders has the places of the menu's menu of recent folders say what is given; "" hides one.
func listFolders(name string, says []string) {
	c := C.folders_t{menu: C.CString(name)}
	defer C.free(unsafe.Pointer(c.menu))
	for _, s := range says[:min(len(says), len(c.says))] {
		c.says[c.n] = C.CString(s)
		defer C.free(unsafe.Pointer(c.says[c.n]))
		c.n++
	}
	C.rg_folders(&c)
}
