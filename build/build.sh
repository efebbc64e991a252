#!/bin/bash
# Builds the page and the program into build/bin/redgreen: with the desktop window where WebKitGTK is there, else without.
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf '%s\n' "$*" >&2; }

# page fetches the page's packages and builds it, as far as it is older than what it is made of.
page() {
  if [ -L frontend/node_modules ]; then
    # npm ci empties the folder behind the link, which another checkout may be using
    [ -d frontend/node_modules/vite ] || { say "frontend/node_modules is a link to a folder without the page's packages; run npm ci where it points, or remove the link"; return 1; }
    [ ! frontend/package-lock.json -nt frontend/node_modules ] || say "frontend/node_modules is a link, so its packages are used as they are"
  elif [ ! -d frontend/node_modules ] || [ frontend/package-lock.json -nt frontend/node_modules ]; then
    say "fetching the page's packages"
    (cd frontend && npm ci --no-audit --no-fund --loglevel=error >/dev/null) && touch frontend/node_modules || return
  fi
  if [ ! -f frontend/dist/index.html ] || [ -n "$(find frontend/src frontend/public frontend/index.html frontend/vite.config.* frontend/package-lock.json -newer frontend/dist/index.html -print -quit)" ]; then
    say "building the page"
    local log
    log=$(mktemp)
    (cd frontend && npm run --silent build >"$log" 2>&1) || { cat "$log" >&2; rm -f "$log"; say "the page could not be built; see above"; return 1; }
    rm -f "$log"
  fi
}

[ -x build/bin/redgreen ] || say "building the program (the first time takes a few minutes)"
page &
made=$!
go build ./backend/... || { wait $made; exit 1; } # meanwhile: all that does not hold the page
wait $made || exit

tags=(-tags desktop,production,webkit2_41)
if ! pkg-config --exists webkit2gtk-4.1 2>/dev/null; then
  say "WebKitGTK 4.1 is not here, so this build has no desktop window; redgreen serve opens it in a browser"
  tags=()
fi
mkdir -p build/bin
go build "${tags[@]}" -o build/bin/redgreen .
