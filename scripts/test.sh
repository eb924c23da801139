#!/usr/bin/env bash
# Every test: formatting, native as it ships, native with asserts and sanitizers, a minute of fuzzing, wasm in Node, native
# against wasm, the page in Chromium.
# Each part prints its own counts; the last line adds them up. KAPPAFLOW_PARTS picks parts by name.
set -uo pipefail
cd "$(dirname "$0")/.."
parts=${KAPPAFLOW_PARTS:-format native asan fuzz wasm agreement browser}
log=build/test-logs; mkdir -p "$log"
passed=0; failed=0

# count <log>: adds up doctest's, node:test's and our own closing lines.
count() {
  local p f
  p=$(sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '/^\[doctest\] test cases:/ {n+=$6} /^(# |ℹ )pass / {n+=$3} /^[0-9]+ passed, [0-9]+ failed$/ {n+=$1} END {print n+0}')
  f=$(sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '/^\[doctest\] test cases:/ {n+=$9} /^(# |ℹ )fail / {n+=$3} /^[0-9]+ passed, [0-9]+ failed$/ {n+=$3} END {print n+0}')
  passed=$((passed + p)); failed=$((failed + f))
}
# part <name> <command…>: runs, shows, counts; a part that fails without a count is one failure.
part() {
  local name=$1 before=$failed start=$SECONDS; shift
  echo "== $name"
  "$@" >"$log/$name.log" 2>&1
  local status=$?
  count "$log/$name.log"
  if [ $status != 0 ]; then
    [ $failed = $before ] && failed=$((failed + 1))
    tail -n 120 "$log/$name.log"
  fi
  echo "   $name: exit $status, $((SECONDS - start)) s, so far $passed passed, $failed failed"
}
wants() { [[ " $parts " == *" $1 "* ]]; }

# programs <folder> <options…>: runs its test programs, as many at once as there are cores.
programs() {
  export -f program
  find "$1" -maxdepth 1 -name 'tests_*' \( -executable -o -name '*.cjs' \) -type f | sort | tr '\n' '\0' |
    xargs -0 -P "$(nproc)" -I{} bash -c 'program "$@"' _ {} "${@:2}"
}
# program <file> <options…>: its output in one piece.
program() {
  local run=("$@") out status start=$SECONDS
  [[ $1 == *.cjs ]] && run=(node --no-experimental-fetch "$@")
  out=$("${run[@]}" 2>&1); status=$?
  printf -- '-- %s, %d s\n%s\n' "${1##*/}" $((SECONDS - start)) "$out"
  return $status
}
# Files that the program writes, before ONNX's own checker and beside numpy.
written() {
  local folder status; folder=$(mktemp -d)
  "$1/write_networks" "$folder" && /usr/bin/python3 tests/reference/written_networks.py "$folder"; status=$?
  rm -rf "$folder"
  return $status
}
native() { cmake --preset release && cmake --build --preset release && { programs build/release; local ran=$?; written build/release && return $ran; }; }
# The suite "long" goes through every preset of every scene, or through many draws: a quarter of an hour here, and nothing new to find.
asan() { cmake --preset asan && cmake --build --preset asan --target tests fuzz_onnx fuzz_seeds && programs build/asan -tse=long; }
fuzz() { scripts/fuzz.sh 60; }
wasm() { cmake --preset web && cmake --build --preset web && programs build/web; }
agreement() { node tests/web/native_equals_wasm.mjs build/web build/release/kappaflow; }
browser() { node scripts/build_site.mjs && node tests/web/run.mjs; }
format() { git ls-files 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'bench/*.cpp' 'tools/*.cpp' | xargs clang-format --dry-run -Werror; }

for name in format native asan fuzz wasm agreement browser; do wants "$name" && part "$name" "$name"; done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
