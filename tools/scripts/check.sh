#!/usr/bin/env bash
# The daily loop, native and without sanitizers. `check.sh SCENE` builds what the scene needs and runs its own tests, for it alone the tests
# over all scenes, the layering test and its goldens; `check.sh` builds and runs everything native.
set -euo pipefail
cd "$(dirname "$0")/../.."
scene=${1:-}
cmake --preset release >/dev/null
if [ -z "$scene" ]; then
  cmake --build --preset release
  KAPPAFLOW_NATIVE=all KAPPAFLOW_PARTS='format native goldens' exec tools/scripts/test.sh
fi
cmake --build --preset release --target goldens tests_scenes tests_pictures tests_house
build/release/goldens --scenes | grep -qx "$scene" || { echo "There is no scene \"$scene\"; there are:" $(build/release/goldens --scenes) >&2; exit 2; }
name=${scene//-/_} status=0
own=$(find tests/scenes tests/pictures -name "${name}*_test.cpp")
echo "$scene:" ${own:-no tests of its own (tests/scenes/${name}_test.cpp is missing)}, the tests over all scenes for it alone, layering, goldens
export KAPPAFLOW_SCENE=$scene KAPPAFLOW_REPORTS # pictures are drawn of the reports that the tests of models leave
KAPPAFLOW_REPORTS=$(mktemp -d) && trap 'rm -r "$KAPPAFLOW_REPORTS"' EXIT
if [[ $own == *tests/scenes/* ]]; then build/release/tests_scenes -sf="*/${name}*_test.cpp"; fi & models=$!
build/release/tests_scenes -sf='*/all_scenes*_test.cpp,*/summaries_test.cpp' || status=1
build/release/tests_pictures -sf="*/${name}*_test.cpp,*/all_pictures_test.cpp,*/picture_svg_test.cpp" || status=1
build/release/tests_house -sf='*/layering_test.cpp' || status=1
wait $models || status=1
node tools/goldens/goldens.mjs build/release/goldens "$scene" || status=1
exit $status
