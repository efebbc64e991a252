#!/bin/bash
# Installs what is missing to build and run (setup.sh run), or to test as well (setup.sh test). Asks first, unless it
# runs as root or in CI; says what it did, and never fails silently.
set -euo pipefail
want=${1:-run}

say() { printf '%s\n' "$*" >&2; }
die() { say "setup: $*"; exit 2; }

command -v go >/dev/null || die "Go is missing; install Go 1.26 or newer from your distribution or go.dev"
v=$(go env GOVERSION); v=${v#go1.}; v=${v%%[!0-9]*} # one of 1.21 or later fetches the version that go.mod asks for
[ "${v:-0}" -ge 21 ] || die "$(go env GOVERSION) is too old; install Go 1.26 or newer from your distribution's backports or go.dev"
command -v node >/dev/null && command -v npm >/dev/null || die "Node.js with npm is missing; install Node.js 20 or newer"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' || die "Node.js $(node --version) is too old; install 20 or newer"

# Each line: how to see that it is there, then the package that brings it.
needs() {
  echo "cmd:gcc gcc"
  echo "file:/usr/include/stdlib.h libc6-dev"
  echo "cmd:pkg-config pkg-config"
  echo "pc:gtk+-3.0 libgtk-3-dev"
  echo "pc:webkit2gtk-4.1 libwebkit2gtk-4.1-dev"
  echo "cmd:git git"
  echo "cmd:podman podman"
  echo "cmd:runc|crun runc"
  echo "cmd:conmon|/usr/libexec/podman/conmon|/usr/lib/podman/conmon conmon"
  echo "cmd:bwrap bubblewrap"
  echo "cmd:/usr/bin/python3 python3"
  echo "py:pytest python3-pytest"
  if [ "$(id -u)" != 0 ]; then
    echo "cmd:newuidmap uidmap"
    echo "cmd:fuse-overlayfs fuse-overlayfs"
  fi
  if [ "$want" = test ]; then
    echo "cmd:netavark|/usr/lib/podman/netavark|/usr/libexec/podman/netavark netavark"
    echo "cmd:chromium|chromium-browser|google-chrome chromium"
    echo "cmd:busybox busybox-static"
    echo "cmd:Xvfb xvfb"
    echo "cmd:openbox openbox"
    echo "cmd:xdotool xdotool"
    echo "cmd:dbus-daemon dbus"
    echo "cmd:import imagemagick"
    echo "font:DejaVu fonts-dejavu-core"
  fi
}

there() {
  local kind=${1%%:*} what=${1#*:} one
  case $kind in
    cmd) for one in ${what//|/ }; do command -v "$one" >/dev/null 2>&1 && return 0; done; return 1 ;;
    file) [ -e "$what" ] ;;
    pc) command -v pkg-config >/dev/null && pkg-config --exists "$what" ;;
    py) [ -x /usr/bin/python3 ] && /usr/bin/python3 -c "import $what" 2>/dev/null ;;
    font) ls /usr/share/fonts/truetype/*/"$what"* >/dev/null 2>&1 ;;
  esac
}

missing=()
while read -r how package; do
  there "$how" || missing+=("$package")
done < <(needs)
[ ${#missing[@]} -eq 0 ] && exit 0

command -v apt-get >/dev/null || die "missing here: ${missing[*]} (the names are Debian's). This system has no apt-get: install them with its own package manager, then run the command again"

run=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || die "missing: ${missing[*]}. Install them as root: apt-get install ${missing[*]}"
  run=(sudo)
  if [ -z "${CI:-}" ]; then
    say "Redgreen needs these packages: ${missing[*]}"
    [ -t 0 ] || die "there is nobody to ask here; install them with: sudo apt-get install ${missing[*]}"
    read -r -p "Install them now with sudo apt-get? [Y/n] " answer
    case $answer in ""|y|Y|yes) ;; *) die "nothing was installed. Install them yourself: sudo apt-get install ${missing[*]}" ;; esac
  fi
fi
say "installing: ${missing[*]} (this takes a few minutes, in which nothing more is printed)"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"${run[@]}" apt-get update -qq >"$log" 2>&1 || { cat "$log" >&2; die "apt-get update failed; see above"; }
have=()
for package in "${missing[@]}"; do
  if [ -n "$(apt-cache madison "$package" 2>/dev/null)" ] || apt-cache show "$package" >/dev/null 2>&1; then
    have+=("$package")
  else
    say "setup: this system's package lists have no $package; going on without it"
  fi
done
if [ ${#have[@]} -gt 0 ]; then
  "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${have[@]}" >"$log" 2>&1 || { tail -n 30 "$log" >&2; die "apt-get install failed; see above"; }
fi
