# Timings of what the page computes, natively and (under Node) as wasm: scripts/bench.sh sets them side by side.
add_executable(kappaflow_bench EXCLUDE_FROM_ALL bench/capacity_bench.cpp)
target_link_libraries(kappaflow_bench PRIVATE kf_models)
if(EMSCRIPTEN)
    # package.json makes every .js an ES module, which this output is not.
    set_target_properties(kappaflow_bench PROPERTIES SUFFIX ".cjs")
    target_link_options(kappaflow_bench PRIVATE -sSINGLE_FILE=1 -sENVIRONMENT=node -sEXIT_RUNTIME=1)
endif()
