#!/usr/bin/env bash
# Deploys the site.
set -euo pipefail

TARGET=${1:-staging}

# build makes the pages.
build() {
  npm run build
  echo "built ${TARGET} with $(version)"
}

function version {
  git describe
}

build
