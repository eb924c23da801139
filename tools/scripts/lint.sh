#!/usr/bin/env bash
# Formatting of all sources; clang-tidy of the C++ files changed since a revision (default: since the last commit).
set -euo pipefail
cd "$(dirname "$0")/../.."
git ls-files -co --exclude-standard 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'tools/*.cpp' | xargs clang-format --dry-run -Werror
mapfile -t changed < <({ git diff --name-only --diff-filter=d "${1:-HEAD}" -- 'src/*.cpp'; git ls-files -o --exclude-standard 'src/*.cpp'; } | grep -v 'src/bindings\|src/main/page' | sort -u)
[ ${#changed[@]} = 0 ] && { echo 'no changed sources for clang-tidy'; exit 0; }
cmake --preset asan >/dev/null
cmake --build --preset asan --target embedded_samples embedded_shaders embedded_fonts embedded_notes >/dev/null
printf '%s\n' "${changed[@]}" | xargs -P 2 -n 4 clang-tidy -quiet -p build/asan
