# A thin face over the CMake presets; `make` alone lists the targets.
.PHONY: help serve test test-all check goldens build site package bench fuzz soak format setup setup-test lint
export NODE_PATH := /usr/share/nodejs
PORT ?= 8000

help:
	@echo 'make serve    build the page and serve it at http://localhost:$(PORT)'
	@echo 'make check    SCENE=shattering: one scene built, its tests and goldens; without SCENE all that is native'
	@echo 'make goldens  what every scene says and draws, against tests/goldens; UPDATE=scene (or all) accepts what is new'
	@echo 'make test     every test: native, sanitizers, wasm under Node, browser (half an hour from clean)'
	@echo 'make test-all the release check: the same with every preset everywhere, all under sanitizers, long fuzzing'
	@echo 'make build    the native program, build/release/kappaflow (window and command line)'
	@echo 'make site     the page as a folder for any static host, build/web/site'
	@echo 'make package  the npm package, build/web/package/kappaflow-VERSION.tgz'
	@echo 'make bench    timings, native beside wasm'
	@echo 'make fuzz     every reader, lens and request against random input, MINUTES=10'
	@echo 'make soak     random input on the built page in Chromium, MINUTES=60'
	@echo 'make format   clang-format over all sources'
	@echo 'make lint     formatting and clang-tidy of what changed since the last commit (BASE=rev: since rev)'

setup:
	@tools/scripts/setup.sh build
setup-test:
	@tools/scripts/setup.sh test

build: setup
	cmake --preset release && cmake --build --preset release --target kappaflow

site: setup
	cmake --preset web && cmake --build --preset web --target web_modules
	node tools/scripts/build_site.mjs

package: site
	node tools/scripts/build_package.mjs
	cd build/web/package && npm pack

serve: site
	node tools/scripts/serve.mjs

check: setup-test
	tools/scripts/check.sh $(SCENE)

goldens: setup-test
	cmake --preset release && cmake --build --preset release --target goldens
	node tools/goldens/goldens.mjs build/release/goldens $(if $(UPDATE),--update $(UPDATE)) $(SCENE)

test: setup-test
	tools/scripts/test.sh

test-all: setup-test
	KAPPAFLOW_COMPLETE=1 tools/scripts/test.sh

bench: setup-test
	tools/scripts/bench.sh

fuzz: setup-test
	tools/scripts/fuzz.sh $$((60 * $(or $(MINUTES),10)))

soak: setup-test site
	node tools/bench/soak.mjs $(or $(MINUTES),60)

format: setup-test
	git ls-files -co --exclude-standard 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'tools/*.cpp' | xargs clang-format -i

lint: setup-test
	tools/scripts/lint.sh $(BASE)
