#!/usr/bin/env bash
# Every test: formatting, goldens, native as it ships, native with asserts and sanitizers, fuzzing, wasm in Node and beside native, the page in
# Chromium. Tests of core, scenes and jobs run once: under sanitizers, those of the suite "long" as they ship.
# KAPPAFLOW_COMPLETE=1 (make test-all): every preset everywhere, every test natively, under sanitizers and in wasm, long fuzzing.
# Each part prints its seconds and counts; the last line adds them up. KAPPAFLOW_PARTS picks parts by name.
set -uo pipefail
cd "$(dirname "$0")/../.."
complete=${KAPPAFLOW_COMPLETE:-0}
thorough=$complete; [ "${KAPPAFLOW_NATIVE:-}" = all ] && thorough=1 # of the native parts
everything='format goldens native asan fuzz wasm browser'
parts=${KAPPAFLOW_PARTS:-$everything}
log=build/test-logs; rm -rf "$log"; mkdir -p "$log"
passed=0; failed=0
# Reports of presets, written by the program that computes them for the goldens and read by the others.
export KAPPAFLOW_REPORTS=$PWD/build/test-reports
rm -rf "$KAPPAFLOW_REPORTS"; mkdir -p "$KAPPAFLOW_REPORTS"

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
    grep -aE '^ *✖' "$log/$name.log" | sort -u | head -n 120 # every name, before any detail
    grep -aE -A 15 '^ *(✖|TEST CASE)' "$log/$name.log" | head -n 80 # the end alone may be of what passed
    tail -n 120 "$log/$name.log"
  fi
  grep -aE '^-- .*, [0-9]+ s$' "$log/$name.log" | sed 's/^/  /'
  echo "   $name: exit $status, $((SECONDS - start)) s, so far $passed passed, $failed failed"
}
# step <name> <command…>: how long it took.
step() {
  local name=$1 start=$SECONDS; shift
  "$@"; local status=$?
  echo "-- $name, $((SECONDS - start)) s"
  return $status
}
# clang with large pages: a tenth to a third less time, the same objects.
compile() { cmake --preset "$1" "${@:3}" && step "compile $1" env GLIBC_TUNABLES=glibc.malloc.hugetlb=1 cmake --build --preset "$1" ${2:+--target} $2; }

# program <file> <options…>: its output in one piece.
program() {
  local run=("$@") out status start=$SECONDS
  [[ $1 == *.[cm]js ]] && run=(node --no-experimental-fetch "$@")
  out=$("${run[@]}" 2>&1); status=$?
  printf '%s\n-- %s, %d s\n' "$out" "${1##*/}" $((SECONDS - start))
  return $status
}
export -f program
# programs <'file options'…>: as many at once as there are cores, in this order.
programs() { printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -I{} bash -c 'program $0' {}; }

# Files that the program writes, before ONNX's own checker and beside numpy.
written() {
  local folder status; folder=$(mktemp -d)
  "$1/write_networks" "$folder" && /usr/bin/python3 tests/reference/written_networks.py "$folder"; status=$?
  rm -rf "$folder"
  return $status
}

format() { git ls-files -co --exclude-standard 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'tools/*.cpp' | xargs clang-format --dry-run -Werror; }
# The longest first, so that no core waits for the other at the end.
native() {
  local ran
  if [ $thorough = 1 ]; then
    compile release '' && programs build/release/tests_{scenes,core,pictures,app,cli,jobs,draw,house}; ran=$?
  else
    local long=(build/release/tests_{scenes,core,jobs}_long)
    compile release "${long[*]##*/} tests_pictures tests_app tests_cli tests_draw tests_house write_networks" &&
      programs "${long[@]/%/ -ts=long}" build/release/tests_{app,cli,pictures,draw,house}; ran=$?
  fi
  written build/release && return $ran
}
# What every scene says and draws, the numbers that its notes quote, and every answer of the lessons.
goldens() {
  compile release 'goldens kappaflow' || return
  env $([ $thorough = 1 ] || echo KAPPAFLOW_QUICK=1) node tools/goldens/goldens.mjs build/release/goldens; local said=$?
  programs tools/scripts/{notes_numbers,lessons}.mjs && return $said
}
# shard <tests> <i> <n>: every nth file of them, from the ith on, so that lanes end together.
shard() {
  local files; files=$(ls tests/"$1"/*_test.cpp | awk -v i="$2" -v n="$3" 'NR % n == i' | sed 's/^tests/*/' | paste -sd, -)
  echo "build/asan/tests_$1 $([ $complete = 1 ] || echo -tse=long) -sf=$files"
}
# Models, core and jobs; every scene's page with its default picture once. The suite "long" goes through every preset of every scene, or many draws.
asan() {
  local targets='tests_core tests_scenes tests_jobs tests_app' others=("build/asan/tests_app -ts=defaults" "build/asan/tests_jobs -tse=long")
  [ $complete = 1 ] && targets=tests && others=(build/asan/tests_{pictures,app,cli,jobs,draw,house})
  compile asan "$targets fuzzers" -DKAPPAFLOW_COMPLETE=$complete &&
    programs "$(shard core 0 2)" "$(shard core 1 2)" "$(shard scenes 0 4)" "$(shard scenes 1 4)" "$(shard scenes 2 4)" "$(shard scenes 3 4)" "${others[@]}"
}
# The daily run repeats itself: what is new is found by the long one.
fuzz() { if [ $complete = 1 ]; then tools/scripts/fuzz.sh 600; else tools/scripts/fuzz.sh 24 1 repeatable; fi; }
wasm() {
  local programs=(build/web/tests_wasm.cjs)
  [ $complete = 1 ] && programs=(build/web/tests_{scenes,core,jobs}.cjs)
  compile web 'web_modules tests' -DKAPPAFLOW_COMPLETE=$complete &&
    programs "tests/web/native_equals_wasm.mjs build/web build/release/goldens "{0,1}" 2" "${programs[@]}"
}
browser() { step site node tools/scripts/build_site.mjs && node tests/web/run.mjs; }

for name in $everything; do [[ " $parts " == *" $name "* ]] && part "$name" "$name"; done
[ "$failed" = 0 ] || sed -s 's/\x1b\[[0-9;]*m//g' "$log"/*.log | grep -aE -A 12 '^ *✖ .*\)$|^TEST CASE' | head -n 60 # once more, where it is looked for
echo "all parts: $SECONDS s"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
