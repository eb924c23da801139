# Timings of what the page computes, natively and (under Node) as wasm: scripts/bench.sh sets them side by side.
add_executable(kappaflow_bench EXCLUDE_FROM_ALL bench/capacity_bench.cpp)
target_link_libraries(kappaflow_bench PRIVATE kf_models)
if(EMSCRIPTEN)
    # package.json makes every .js an ES module, which this output is not.
    set_target_properties(kappaflow_bench PROPERTIES SUFFIX ".cjs")
    target_link_options(kappaflow_bench PRIVATE -sSINGLE_FILE=1 -sENVIRONMENT=node -sEXIT_RUNTIME=1)
endif()

# The exact partition alone: regions a second beside a plain product of the same shapes.
add_executable(regions_bench EXCLUDE_FROM_ALL bench/regions_bench.cpp)
target_link_libraries(regions_bench PRIVATE kf_core)
if(EMSCRIPTEN)
    set_target_properties(regions_bench PROPERTIES SUFFIX ".cjs")
    target_link_options(regions_bench PRIVATE -sSINGLE_FILE=1 -sENVIRONMENT=node -sEXIT_RUNTIME=1 -sINITIAL_MEMORY=536870912)
endif()

# Growth and dichotomies in larger networks than tests have time for.
add_executable(expressivity_bench EXCLUDE_FROM_ALL bench/expressivity_bench.cpp)
target_link_libraries(expressivity_bench PRIVATE kf_models)
if(EMSCRIPTEN)
    set_target_properties(expressivity_bench PROPERTIES SUFFIX ".cjs")
    target_link_options(expressivity_bench PRIVATE -sSINGLE_FILE=1 -sENVIRONMENT=node -sEXIT_RUNTIME=1 -sINITIAL_MEMORY=268435456)
endif()

# Training steps beside the plain products inside them.
add_executable(training_bench EXCLUDE_FROM_ALL bench/training_bench.cpp)
target_link_libraries(training_bench PRIVATE kf_core)
if(EMSCRIPTEN)
    set_target_properties(training_bench PROPERTIES SUFFIX ".cjs")
    target_link_options(training_bench PRIVATE -sSINGLE_FILE=1 -sENVIRONMENT=node -sEXIT_RUNTIME=1)
endif()
