#!/bin/bash
# All checks and tests, as CI runs them.
set -euo pipefail
cd "$(dirname "$0")/.."
export CI=${CI:-true}
started=$SECONDS
step() { printf '\n== %s (%d s)\n' "$*" $((SECONDS - started)); }

step "formatting"
bad=$(gofmt -l main.go app backend)
[ -z "$bad" ] || { echo "gofmt would change: $bad"; exit 1; }

step "the program without its window"
go build -o build/bin/redgreen-plain .
go vet ./...

step "the page"
(cd frontend && npm run --silent check && npm run --silent test)

step "Go tests"
go test -timeout 30m ./...

step "the parser and the writer of edits, on made-up input"
for target in FuzzParse FuzzResolve FuzzApply; do
  go test -run '^$' -fuzz "^$target\$" -fuzztime 6s -parallel 1 ./backend/patch
done

step "end to end, in Chromium and in the real window"
export REDGREEN_BIN=$PWD/build/bin/redgreen
(cd frontend && npm run --silent e2e)
go test -count=1 -run 'TestWindow' ./app

step "the sample, fixed in the terminal"
REDGREEN_HOME=$(mktemp -d) 
export REDGREEN_HOME
trap 'rm -rf "$REDGREEN_HOME"' EXIT
build/bin/redgreen fix --sample --approve auto

step "done"
