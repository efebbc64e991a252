// A window of one colour that is dragged as a file manager drags what its argument names: a file:// address.
// Built by TestWindowDrop: cc drag.c $(pkg-config --cflags --libs gtk+-3.0)
#include <gtk/gtk.h>

static void tell(GtkWidget *w, GdkDragContext *c, GtkSelectionData *data, guint info, guint time, gpointer uri) {
	gchar *uris[] = {uri, NULL};
	gtk_selection_data_set_uris(data, uris);
}

int main(int argc, char **argv) {
	gtk_init(&argc, &argv);
	if (argc != 2) return 2;
	GtkTargetEntry what[] = {{"text/uri-list", 0, 0}};
	GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL), *box = gtk_event_box_new();
	gtk_window_set_title(GTK_WINDOW(window), "dragged");
	gtk_window_set_default_size(GTK_WINDOW(window), 120, 80);
	gtk_container_add(GTK_CONTAINER(window), box);
	gtk_drag_source_set(box, GDK_BUTTON1_MASK, what, 1, GDK_ACTION_COPY | GDK_ACTION_MOVE | GDK_ACTION_LINK);
	g_signal_connect(box, "drag-data-get", G_CALLBACK(tell), argv[1]);
	g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
	gtk_widget_show_all(window);
	gtk_main();
	return 0;
}
