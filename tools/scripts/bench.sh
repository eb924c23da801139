#!/usr/bin/env bash
# Timings, never asserted: the computations natively and in wasm with their ratio, and the page itself with its weights.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset release >/dev/null && cmake --build --preset release --target capacity_bench regions_bench expressivity_bench moments_bench >/dev/null
cmake --preset web >/dev/null && cmake --build --preset web --target capacity_bench regions_bench moments_bench web_modules >/dev/null
echo '== native'; build/release/capacity_bench | tee build/bench-native.txt
echo '== wasm (Node)'; node --no-experimental-fetch build/web/capacity_bench.cjs | tee build/bench-wasm.txt
echo '== wasm / native'
join -t '|' <(grep '|' build/bench-native.txt | sort) <(grep '|' build/bench-wasm.txt | sort) |
  awk -F'|' '{printf "%-44s %6.2f ×\n", $1, $3 / $2}'
echo '== regions, native'; build/release/regions_bench
echo '== expressivity, native'; build/release/expressivity_bench
echo '== moments, native'; build/release/moments_bench
echo '== regions, wasm (Node)'; node --no-experimental-fetch build/web/regions_bench.cjs
echo '== moments, wasm (Node)'; node --no-experimental-fetch build/web/moments_bench.cjs
node tools/scripts/build_site.mjs >/dev/null
echo '== page'
node tools/bench/page_bench.mjs
