#!/bin/bash
# All checks and tests, as CI runs them.
set -euo pipefail
cd "$(dirname "$0")/.."
export CI=${CI:-true}
started=$SECONDS
step() { printf '\n== %s (%d s)\n' "$*" $((SECONDS - started)); }

# The tests make and delete very many small files, which a disk's file system is slow at: in memory where there is plenty of it.
cleanup() {
  [ -z "${REDGREEN_HOME:-}" ] || rm -rf "$REDGREEN_HOME"
  [ -z "${memory:-}" ] || { umount -l "$memory" && rmdir "$memory"; }
}
trap cleanup EXIT
if [ -z "${TMPDIR:-}" ] && [ "$(id -u)" = 0 ] && [ "$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)" -ge 12 ]; then
  memory=$(mktemp -d)
  if mount -t tmpfs -o mode=1777,size=10g tmpfs "$memory" 2>/dev/null; then
    export TMPDIR=$memory
  else
    rmdir "$memory"
    memory=
  fi
fi

step "formatting"
bad=$(gofmt -l main.go app backend)
[ -z "$bad" ] || { echo "gofmt would change: $bad"; exit 1; }

step "the program without its window, and the page"
page=$(mktemp)
(cd frontend && npm run --silent check && npm run --silent test) >"$page" 2>&1 &
checked=$!
go build -ldflags=-w -o build/bin/redgreen-plain .
go vet ./...
wait $checked || { cat "$page"; exit 1; }
cat "$page"
rm -f "$page"

step "Go tests"
# What takes longest first, and one package more than there are cores, since they also wait. Without what only a debugger needs, linking
# takes half the time.
go test -vet=off -ldflags=-w -timeout 30m -p "$(($(nproc) + 1))" ./backend/agent ./backend/testrun ./app ./backend/proof ./backend/sandbox ./...

step "the parser and the writer of edits, on made-up input"
for target in FuzzParse FuzzResolve FuzzApply; do
  go test -run '^$' -fuzz "^$target\$" -fuzztime 6s -parallel 1 ./backend/patch
done

step "end to end, in Chromium and in the real window"
export REDGREEN_BIN=$PWD/build/bin/redgreen
(cd frontend && npm run --silent e2e)
go test -vet=off -ldflags=-w -count=1 -timeout 30m -run 'TestWindow' ./app

step "the sample, fixed in the terminal"
REDGREEN_HOME=$(mktemp -d)
export REDGREEN_HOME
build/bin/redgreen fix --sample --approve auto

step "the package"
packages=$(build/package.sh)
package=$(head -n 1 <<<"$packages")
dpkg-deb -c "$package" | grep -c -E ' \./usr/(bin/redgreen|share/applications/redgreen\.desktop|share/icons/hicolor/scalable/apps/redgreen\.svg|share/doc/redgreen/copyright)$' | grep -qx 4
[[ $(ldd build/bin/redgreen) != *libwebkit2gtk-4.1* || $(dpkg-deb -f "$package" Depends) == *libwebkit2gtk-4.1-0* ]]

there=$(mktemp -d)
tar -C "$there" -xzf "$(tail -n 1 <<<"$packages")"
"$there"/redgreen-*/install.sh "$there/my home"
"$there/my home/bin/redgreen" version
if command -v desktop-file-validate >/dev/null; then desktop-file-validate "$there/my home/share/applications/redgreen.desktop"; fi
grep -qxF "Exec=\"$there/my home/bin/redgreen\" %u" "$there/my home/share/applications/redgreen.desktop"
"$there"/redgreen-*/install.sh --remove "$there/my home"
[ -z "$(find "$there/my home" -type f ! -name "*.cache")" ]
rm -rf "$there"

step "done"
