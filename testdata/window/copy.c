// Puts the picture that its argument names on the clipboard, as a program that takes pictures of the screen does, and holds it there.
// Built by TestWindowPaste: cc copy.c $(pkg-config --cflags --libs gtk+-3.0)
#include <gtk/gtk.h>

int main(int argc, char **argv) {
	gtk_init(&argc, &argv);
	GdkPixbuf *picture = argc == 2 ? gdk_pixbuf_new_from_file(argv[1], NULL) : NULL;
	if (!picture) return 2;
	gtk_clipboard_set_image(gtk_clipboard_get(GDK_SELECTION_CLIPBOARD), picture);
	gtk_main();
	return 0;
}
