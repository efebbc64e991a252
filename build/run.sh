#!/bin/bash
# Opens the window on the bundled sample repository; where there is no display, runs the same fix in the terminal.
set -euo pipefail
cd "$(dirname "$0")/.."
# What WebKit, Mesa and GTK say on the way and nobody needs to act on; our own lines and real errors pass.
noise='^Overriding existing handler for signal|^libEGL warning|^MESA|^Gtk-Message: .*Failed to load module|dbind-WARNING|^\*\* .*: Failed to load module|^$'
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && pkg-config --exists webkit2gtk-4.1; then
  echo "The window opens on a sample program with a bug. It ends when you close it, or with Ctrl-C here." >&2
  exec build/bin/redgreen --sample 2> >(grep --line-buffered -vE "$noise" >&2)
fi
echo "There is no display for a window here, so the same fix runs in the terminal. (build/bin/redgreen serve opens the window in a browser.)" >&2
exec build/bin/redgreen fix --sample
