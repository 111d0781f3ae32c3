#!/usr/bin/env bash
# Builds what a release publishes into a folder, and checks it: npm/*.tgz, pypi/* and notes.md, the newest section of
# the changelog. It publishes nothing. In a clone, after npm ci:
#
#   bash .github/workflows/build.sh v1.2.3 packages
set -euo pipefail
tag=$1 folder=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=$(node --print 'require("./package.json").version')
if [[ $tag != "v$version" ]]; then
  echo "The tag is $tag, but the version in package.json is $version. Tag a commit with that version." >&2
  exit 1
fi
mkdir -p "$folder/npm" "$folder/pypi"
folder=$(realpath "$folder")
npm pack --pack-destination "$folder/npm"
npm run release:check -- --tarball "$(echo "$folder"/npm/*.tgz)"
python3 -m pip wheel --no-deps --wheel-dir "$folder/pypi" ./python
# The archive of the sources holds what the wheel was built from.
python3 -m pip install --quiet hatchling
(cd python && python3 -m hatchling build --target sdist --directory "$folder/pypi")
awk '/^## / { sections++ } sections == 1 && !/^## / { print }' CHANGELOG.md >"$folder/notes.md"
ls -l "$folder"/*
