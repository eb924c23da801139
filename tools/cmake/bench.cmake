# Timings natively and (under Node) as wasm, which tools/scripts/bench.sh sets side by side. bench(<name> <library> [initial memory of the wasm])
function(bench name library)
    add_executable(${name} EXCLUDE_FROM_ALL tools/bench/${name}.cpp)
    target_link_libraries(${name} PRIVATE ${library})
    if(EMSCRIPTEN)
        # package.json makes every .js an ES module, which this output is not.
        set_target_properties(${name} PROPERTIES SUFFIX ".cjs")
        target_link_options(${name} PRIVATE -sSINGLE_FILE=1 -sENVIRONMENT=node -sEXIT_RUNTIME=1)
        if(ARGC GREATER 2)
            target_link_options(${name} PRIVATE -sINITIAL_MEMORY=${ARGV2})
        endif()
    endif()
endfunction()

bench(capacity_bench kf_models)                # what the page computes
bench(regions_bench kf_core 536870912)         # the exact partition alone: regions a second beside a plain product of the same shapes
bench(expressivity_bench kf_models 268435456)  # growth and dichotomies in larger networks than tests have time for
bench(training_bench kf_core)                  # training steps beside the plain products inside them
bench(moments_bench kf_core)                   # random nets with all their moments; `tables`: the reference's ensembles, some minutes
if(NOT EMSCRIPTEN)
    bench(costs_bench kf_models)                   # what requests are estimated to take beside what they take, each scene; Linux only
    target_include_directories(costs_bench PRIVATE tests)
endif()
