#!/bin/bash
# Packs build/bin/redgreen for Linux into build/bin: a .deb, and a tarball to unpack under any prefix (such as ~/.local).
# What the program needs of the system is named from the libraries that it is linked with.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v dpkg-deb >/dev/null || { echo "package: dpkg-deb is missing; install the package dpkg" >&2; exit 2; }
version=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' app/version.go)
arch=$(dpkg --print-architecture)
[ -n "$version" ] || { echo "package: app/version.go tells no version" >&2; exit 2; }

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"
install -Dm755 build/bin/redgreen "$stage/usr/bin/redgreen"
install -Dm644 build/linux/redgreen.desktop "$stage/usr/share/applications/redgreen.desktop"
install -Dm644 build/linux/redgreen.svg "$stage/usr/share/icons/hicolor/scalable/apps/redgreen.svg"
install -Dm644 LICENSE "$stage/usr/share/doc/redgreen/copyright"

tar -C "$stage/usr" --owner=0 --group=0 -czf "build/bin/redgreen-$version-linux-$arch.tar.gz" bin share

needs="libc6"
if ldd build/bin/redgreen 2>/dev/null | grep -q libwebkit2gtk-4.1; then needs="libc6, libwebkit2gtk-4.1-0, libgtk-3-0 | libgtk-3-0t64"; fi
mkdir "$stage/DEBIAN"
cat >"$stage/DEBIAN/control" <<CONTROL
Package: redgreen
Version: $version
Architecture: $arch
Maintainer: The Redgreen authors <redgreen@localhost>
Installed-Size: $(du -sk --exclude=DEBIAN "$stage" | cut -f1)
Depends: $needs
Recommends: bubblewrap, git
Suggests: podman
Section: devel
Priority: optional
Description: coding assistant that proves its work
 Open a folder and say what is wrong. Redgreen fixes it in a disposable copy and proves it: a test that was red before
 is green now and nothing else broke. Nothing in your folder changes until you approve.
CONTROL
dpkg-deb --root-owner-group --build "$stage" "build/bin/redgreen_${version}_$arch.deb" >/dev/null
echo "build/bin/redgreen_${version}_$arch.deb"
echo "build/bin/redgreen-$version-linux-$arch.tar.gz"
