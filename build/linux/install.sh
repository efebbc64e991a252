#!/bin/sh
# Installs Redgreen from this folder: ./install.sh [PREFIX], by default ~/.local, without root. ./install.sh --remove [PREFIX] takes
# it away again; settings and sessions stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
remove=
if [ "${1:-}" = --remove ]; then
  remove=yes
  shift
fi
case "${1:-}" in
  -*) echo "usage: install.sh [--remove] [PREFIX]" >&2; exit 2 ;;
esac
prefix=${1:-$HOME/.local}
case $prefix in
  /*) ;;
  *) prefix=$PWD/$prefix ;;
esac
desktop=$prefix/share/applications/redgreen.desktop
icon=$prefix/share/icons/hicolor/scalable/apps/redgreen.svg

# tell has the desktop look again, where it has the programs for that.
tell() {
  if command -v update-desktop-database >/dev/null; then update-desktop-database -q "$prefix/share/applications" || true; fi
  if command -v gtk-update-icon-cache >/dev/null; then gtk-update-icon-cache -q -t "$prefix/share/icons/hicolor" 2>/dev/null || true; fi
}

if [ -n "$remove" ]; then
  rm -f "$prefix/bin/redgreen" "$desktop" "$icon"
  rm -rf "$prefix/share/doc/redgreen"
  tell
  echo "Redgreen is gone from $prefix; settings and sessions are still there."
  exit 0
fi

missing=$(ldd "$here/bin/redgreen" 2>/dev/null | sed -n 's/^[[:space:]]*\(.*\) => not found$/\1/p')
if [ -n "$missing" ]; then
  echo "install.sh: this system lacks $(echo $missing); install WebKitGTK 4.1 and GTK 3 first (Debian, Ubuntu: apt-get install libwebkit2gtk-4.1-0)" >&2
  exit 1
fi
mkdir -p "$prefix/bin" "$prefix/share/doc" "$(dirname "$desktop")" "$(dirname "$icon")"
rm -f "$prefix/bin/redgreen" # a running one keeps its own
cp "$here/bin/redgreen" "$prefix/bin/redgreen"
cp -R "$here/share/doc/redgreen" "$prefix/share/doc/"
cp "$here/share/icons/hicolor/scalable/apps/redgreen.svg" "$icon"
# The desktop may not have the prefix's programs on its path.
sed "s|^Exec=redgreen|Exec=\"$prefix/bin/redgreen\"|" "$here/share/applications/redgreen.desktop" >"$desktop"
tell
echo "Redgreen is installed: $prefix/bin/redgreen, and in the menu of the desktop."
case :$PATH: in
  *":$prefix/bin:"*) ;;
  *) echo "$prefix/bin is not on your PATH; add it to use \`redgreen\` in a terminal." ;;
esac
