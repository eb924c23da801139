#!/usr/bin/env bash
# fuzz.sh [SECONDS] [SEED, 0 for one that nobody chose] [repeatable]
# Fuzzes the readers for some seconds (default 60), ONNX with its writer all the while, beside it whole requests (a scene, params, a file) for half
# of them and the readers of data, images, safetensors and npz for an eighth each: from the tests' files, the samples and what earlier runs found.
# Unless it is repeatable, what a reader does on the screen for an eighth more.
# Repeatable: so many executions, which every machine makes alike, and at most the seconds that a slow one needs for them.
# Findings are left in build/fuzz/findings; mended ones go to tests/fuzz/corpus, or corpus_ and the name of what is fuzzed. The last line is
# for tools/scripts/test.sh.
set -uo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}; seed=${2:-0}; repeatable=${3:+1}; build=build/asan; work=build/fuzz; findings=$work/findings; corpus=$work/corpus
{ cmake --preset asan && cmake --build --preset asan --target fuzzers $([ "$repeatable" ] || echo fuzz_page); } || { echo '0 passed, 1 failed'; exit 1; }
mkdir -p "$corpus" "$corpus"_csv "$corpus"_images "$corpus"_safetensors "$corpus"_npz "$corpus"_requests "$corpus"_page "$findings" && rm -f "$findings"/*
"$build/fuzz_seeds" "$corpus" && cp src/samples/*.onnx tests/data/networks/*.onnx "$corpus/"

# fuzz PROGRAM LEAST SECONDS CORPORA… FLAGS…: at least so many executions a second; 25 times as many where they are counted
fuzz() {
  local program=$1 least=$2 time=$3; shift 3
  # Freed memory in the sanitizer's quarantine counts as used.
  ASAN_OPTIONS=quarantine_size_mb=64 "$build/$program" ${repeatable:+-runs=$((25 * least * time))} -max_total_time="$time" -seed="$seed" -rss_limit_mb=1024 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$findings/$program-" "$@" >"$work/$program.log" 2>&1
  local status=$? executions edges found
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$program.log")
  edges=$(grep -o ' cov: [0-9]*' "$work/$program.log" | tail -n 1 | tr -dc 0-9)
  # A slow input is a remark of libFuzzer, no failure; it shows above the time limit only.
  found=$(find "$findings" -type f -name "$program-*" ! -name '*slow-unit-*' | wc -l)
  echo "$program: ${executions:-0} executions in $time s, ${edges:-0} edges covered, $found findings"
  [ $status = 0 ] && [ "$found" = 0 ] && [ "${executions:-0}" -gt $((least * time)) ] && return
  tail -n 60 "$work/$program.log"
  return 1
}
bad=0; data=$((seconds / 8 > 1 ? seconds / 8 : 1))
fuzz fuzz_onnx 20 "$seconds" "$corpus" tests/fuzz/corpus -dict=tests/fuzz/onnx.dict -max_len=65536 & onnx=$!
fuzz fuzz_csv 50 $data "$corpus"_csv tests/fuzz/corpus_csv -dict=tests/fuzz/csv.dict -max_len=4096 || bad=1
fuzz fuzz_safetensors 50 $data "$corpus"_safetensors tests/fuzz/corpus_safetensors -max_len=8192 || bad=1
fuzz fuzz_npz 50 $data "$corpus"_npz tests/fuzz/corpus_npz -max_len=8192 || bad=1
fuzz fuzz_images 50 $data "$corpus"_images tests/fuzz/corpus_images -max_len=8192 || bad=1
fuzz fuzz_requests 1 $((seconds / 2)) "$corpus"_requests -max_len=16384 || bad=1
if [ -z "$repeatable" ]; then # forty actions take seconds: too few executions a day
  LC_ALL=C awk -v seed="$seed" 'BEGIN { if (seed > 0) srand(seed); else srand(); for (i = 0; i < 240; ++i) printf "%c", 1 + int(255 * rand()) }' >"$corpus"_page/random
  fuzz fuzz_page 0 $data "$corpus"_page -max_len=240 -len_control=0 -timeout=300 || bad=1
fi
wait $onnx || bad=1
if [ $bad = 0 ]; then echo '1 passed, 0 failed'; else echo '0 passed, 1 failed'; exit 1; fi
