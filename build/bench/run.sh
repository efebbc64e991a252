#!/bin/bash
# All benchmarks in one run, with the machine they ran on: build/bench/run.sh, or make bench. A benchmark is a plain Go
# benchmark that measures a peer beside the thing itself, turn by turn, and reports their ratio; to add one, write it in its
# room and add a line to rows. TIMES=30 build/bench/run.sh sandbox runs one room's, thirty turns each. The window's part, "window", is frontend/e2e/bench.mjs.
set -euo pipefail
cd "$(dirname "$0")/../.."

# room, package, benchmarks (a regular expression), turns
rows() {
  cat <<'ROWS'
sandbox ./backend/sandbox ^Benchmark(Run|First)$ 10
patch   ./backend/patch   . 10
repo    ./backend/repo    . 3
index   ./backend/index   . 3
search  ./backend/search  . 3
session ./backend/session/exchange ^BenchmarkLarge$ 1
ROWS
}

one() { command -v "$1" >/dev/null && "$@" 2>/dev/null | head -n 1 || true; }
echo "machine: $(grep -m 1 'model name' /proc/cpuinfo | cut -d: -f2- | xargs), $(nproc) cores, $(awk '/MemTotal/ {printf "%.0f GB", $2/1e6}' /proc/meminfo), Linux $(uname -r), $( . /etc/os-release && echo "$PRETTY_NAME")"
echo "programs: $(go version | cut -d' ' -f3), $(one podman --version), $(one crun --version), $(one runc --version), $(one runsc --version), $(one bwrap --version), $(one rg --version), $(one ctags --version | cut -d, -f1), zoekt-index $(command -v zoekt-index >/dev/null && echo there || echo not there)"
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg)"
rows | while read -r room package pattern times; do
  [ $# -eq 0 ] || [[ " $* " == *" $room "* ]] || continue
  echo
  echo "== $room (${TIMES:-$times} turns)"
  go test -run '^$' -bench "$pattern" -benchtime "${TIMES:-$times}x" -timeout 60m "$package" </dev/null |
    awk '/^Benchmark/ { name = $1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name); line = sprintf("%-28s", name)
                        for (i = 3; i < NF; i += 2) if ($(i+1) != "ns/op" || NF < 6) line = line sprintf("  %s %s", $(i+1), $i); print line }
         /^ *bench_test.go|^--- |^FAIL|^panic|not installed/ { print }'
done
if [ $# -eq 0 ] || [[ " $* " == *" window "* ]]; then
  echo
  echo "== window (${TIMES:-3} turns)"
  if [ -d frontend/node_modules/vite ]; then (cd frontend && node e2e/bench.mjs); else echo "left out: the page's packages are not here, see make build"; fi
fi
echo
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)"
