#!/usr/bin/env bash
# The daily loop, native and without sanitizers. `check.sh SCENE` builds what the scene needs and runs its model's and picture's tests and
# its goldens; `check.sh` builds and runs everything native.
set -euo pipefail
cd "$(dirname "$0")/../.."
scene=${1:-}
cmake --preset release >/dev/null
if [ -z "$scene" ]; then
  cmake --build --preset release
  KAPPAFLOW_PARTS='format native goldens' exec tools/scripts/test.sh
fi
cmake --build --preset release --target goldens tests_scenes tests_pictures
build/release/goldens --scenes | grep -qx "$scene" || { echo "There is no scene \"$scene\"; there are:" $(build/release/goldens --scenes) >&2; exit 2; }
files="*/${scene//-/_}*_test.cpp"
build/release/tests_scenes -sf="$files" & tests=$!
build/release/tests_pictures -sf="$files"
wait $tests
node tools/goldens/goldens.mjs build/release/goldens "$scene"
