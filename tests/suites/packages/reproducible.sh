#!/bin/sh
# Builds the packages of this commit in two other folders, without ccache, and compares them with those in dist, byte by
# byte. Takes two whole builds. reproducible.sh [1] builds once.
set -eu
cd "$(dirname "$0")/../../.."
here=$PWD
for folder in one two; do
  work=$(mktemp -d)
  git clone --quiet "$here" "$work/$folder"
  (cd "$work/$folder" && CCACHE_DISABLE=1 ./dev package)
  for made in "$work/$folder/dist/"*; do cmp "$made" "dist/$(basename "$made")"; done
  rm -rf "$work"
  [ "${1:-2}" != 1 ] || break
done
echo "the same bytes"
