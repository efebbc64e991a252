#!/bin/bash
# Packs the program for Linux into build/bin: a .deb, and a tarball with an install.sh that needs no root. It is the
# program that build.sh made, without what only a debugger needs. What it needs of the system is read from it.
set -euo pipefail
cd "$(dirname "$0")/.."
die() { echo "package: $*" >&2; exit 2; }
command -v dpkg-deb >/dev/null || die "dpkg-deb is missing; install the package dpkg"
version=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' app/version.go)
arch=$(dpkg --print-architecture)
[ -n "$version" ] || die "app/version.go tells no version"

maintainer="The Redgreen authors <redgreen@localhost>"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/root
mkdir -m 755 "$root"
tags=()
if [[ $(ldd build/bin/redgreen 2>/dev/null) == *libwebkit2gtk-4.1* ]]; then tags=(-tags desktop,production,webkit2_41); fi
go build "${tags[@]}" -ldflags "-s -w" -o "$stage/redgreen" .
install -Dm755 "$stage/redgreen" "$root/usr/bin/redgreen"
install -Dm644 build/linux/redgreen.desktop "$root/usr/share/applications/redgreen.desktop"
install -Dm644 build/linux/redgreen.svg "$root/usr/share/icons/hicolor/scalable/apps/redgreen.svg"
doc=$root/usr/share/doc/redgreen
mkdir -p "$doc"
{
  printf '%s\nUpstream-Name: Redgreen\n\nFiles: *\n' "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
  sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
  echo "License: MIT"
  sed -n '/^Permission/,$p' LICENSE | sed 's/^$/./; s/^/ /'
} >"$doc/copyright"
gzip -9nc CHANGELOG.md >"$doc/NEWS.gz"
printf 'redgreen (%s) unstable; urgency=medium\n\n  * What is new stands in NEWS.gz.\n\n -- %s  %s\n' "$version" "$maintainer" "$(git log -1 --format=%aD 2>/dev/null || date -R)" |
  gzip -9nc >"$doc/changelog.gz"
chmod 644 "$doc"/*

name=redgreen-$version-linux-$arch
cp -r "$root/usr" "$stage/$name"
install -m755 build/linux/install.sh "$stage/$name/install.sh"
tar -C "$stage" --owner=0 --group=0 -czf "build/bin/$name.tar.gz" "$name"

# needs names the packages of the libraries that the program is linked with, with the versions that it was built with, where
# dpkg-shlibdeps can tell; else those of the window by name.
needs() {
  if command -v dpkg-shlibdeps >/dev/null; then
    mkdir -p "$stage/debian"
    printf 'Source: redgreen\n\nPackage: redgreen\nArchitecture: any\n' >"$stage/debian/control"
    (cd "$stage" && dpkg-shlibdeps -O redgreen 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
  elif [ ${#tags[@]} -gt 0 ]; then
    echo "libc6, libwebkit2gtk-4.1-0, libgtk-3-0 | libgtk-3-0t64"
  else
    echo libc6
  fi
}
depends=$(needs)
[ -n "$depends" ] || die "the packages that the program needs could not be told"
mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: redgreen
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends
Recommends: bubblewrap, git, podman
Section: devel
Priority: optional
Description: coding assistant that proves its work
 Open a folder and say what is wrong. Redgreen fixes it in a disposable copy
 and proves it: a test that was red before is green now and nothing else
 broke. Nothing in your folder changes until you approve.
CONTROL
dpkg-deb --root-owner-group --build "$root" "build/bin/redgreen_${version}_$arch.deb" >/dev/null
echo "build/bin/redgreen_${version}_$arch.deb"
echo "build/bin/$name.tar.gz"
