#!/usr/bin/env bash
# Fuzzes the ONNX reader for some seconds (default 60) from the operators' models, the samples and what earlier runs found.
# Findings are left in build/fuzz/findings; mended ones go to tests/fuzz/corpus. The last line is for scripts/test.sh.
set -uo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}; build=build/asan; work=build/fuzz; findings=$work/findings; corpus=$work/corpus
{ cmake --preset asan && cmake --build --preset asan --target fuzz_onnx fuzz_seeds; } || { echo '0 passed, 1 failed'; exit 1; }
mkdir -p "$corpus" "$findings" && rm -f "$findings"/*
"$build/fuzz_seeds" "$corpus" && cp samples/*.onnx "$corpus/"

"$build/fuzz_onnx" "$corpus" tests/fuzz/corpus -dict=tests/fuzz/onnx.dict -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=10 \
  -max_len=65536 -print_final_stats=1 -artifact_prefix="$findings/" >"$work/fuzz.log" 2>&1
status=$?
executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/fuzz.log")
edges=$(grep -o ' cov: [0-9]*' "$work/fuzz.log" | tail -n 1 | tr -dc 0-9)
found=$(find "$findings" -type f | wc -l)
# A slow input is a remark of libFuzzer, no failure; it shows above the time limit only.
found=$((found - $(find "$findings" -type f -name 'slow-unit-*' | wc -l)))
[ $status = 0 ] && [ "$found" = 0 ] || tail -n 60 "$work/fuzz.log"
echo "fuzz: ${executions:-0} executions in $seconds s, ${edges:-0} edges covered, $found findings"
if [ $status = 0 ] && [ "$found" = 0 ] && [ "${executions:-0}" -gt 1000 ]; then echo '1 passed, 0 failed'; else echo '0 passed, 1 failed'; exit 1; fi
