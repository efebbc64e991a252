#!/bin/bash
# Opens the window on the bundled sample repository; where there is no display, runs the same fix in the terminal.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && pkg-config --exists webkit2gtk-4.1; then
  exec build/bin/redgreen --sample
fi
echo "There is no display for a window here, so the same fix runs in the terminal. (build/bin/redgreen serve opens the window in a browser.)" >&2
exec build/bin/redgreen fix --sample
