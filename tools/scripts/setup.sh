#!/usr/bin/env bash
# Installs what a fresh Debian machine lacks: `setup.sh build` for building the page and the program,
# `setup.sh test` for the tests as well. Asks apt only for packages that are missing, so a second run is instant.
set -euo pipefail
cd "$(dirname "$0")/../.."

build_packages=(g++ clang-14 cmake ninja-build make git ca-certificates dpkg-dev xz-utils libeigen3-dev libglfw3-dev libgl1-mesa-dev
  nlohmann-json3-dev libcli11-dev libprotozero-dev libstb-dev doctest-dev emscripten node-acorn brotli
  fonts-inter fonts-stix python3-fonttools python3-brotli)
test_packages=(chromium-headless-shell firefox-esr webkit2gtk-driver xvfb xauth clang-format clang-tidy libclang-rt-14-dev libgl1-mesa-dri python3-numpy python3-onnx
  python3-sphinx python3-myst-parser pandoc parallel)

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

install_packages() {
  local missing=()
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  # Node may come from somewhere else than Debian; a second one would only shadow it.
  command -v node >/dev/null || missing+=(nodejs)
  command -v npm >/dev/null || missing+=(npm)
  [ ${#missing[@]} = 0 ] && return
  echo "installing: ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Sources that are built here, for the page as well, from Debian's own source packages of the next release (Debian 12's library
# package lacks Dear ImGui's); the mirror is the one this machine already uses. fetch_source PACKAGE VERSION FOLDER FILE-OF-IT
fetch_source() {
  local target=build/deps/$3
  [ -f "$target/$4" ] && return
  local work; work=$(mktemp -d)
  mkdir -p "$work/lists/partial" "$work/cache" "$work/parts" "$work/source" build/deps
  local mirror; mirror=$({ cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || true; } |
    grep -v '^#' | grep -oE 'https?://[^ ]+' | grep -v security | sed -n 1p)
  printf 'Types: deb-src\nURIs: %s\nSuites: trixie\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' "$mirror" \
    > "$work/parts/trixie.sources"
  local options=(-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/parts" -o Dir::State::Lists="$work/lists" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" -qq update
  (cd "$work" && apt-get "${options[@]}" -qq source --download-only --tar-only "$1=$2")
  tar -xf "$work/$1"_*.orig.tar.* -C "$work/source" --strip-components=1
  rm -rf "$target" && mv "$work/source" "$target"
  rm -rf "$work"
}

install_node_modules() {
  [ -d node_modules ] && [ node_modules/.package-lock.json -nt package-lock.json ] && return
  npm ci --no-audit --no-fund --loglevel=error
}

case "${1:-build}" in
  build) install_packages "${build_packages[@]}" ;;
  test) install_packages "${build_packages[@]}" "${test_packages[@]}" ;;
  *) echo "usage: setup.sh [build|test]" >&2; exit 2 ;;
esac
fetch_source imgui 1.90.1+ds-1 imgui-1.90.1 imgui.cpp
fetch_source liblbfgs 1.10-8 liblbfgs-1.10 lib/lbfgs.c
fetch_source zlib 1:1.3.dfsg+really1.3.1-1 zlib-1.3.1 inflate.c
install_node_modules
# `git diff` shows goldens as text (.gitattributes); not every copy of the sources is a checkout.
git config diff.brotli.textconv 'brotli -dc' 2>/dev/null || true
