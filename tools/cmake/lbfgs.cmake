# liblbfgs from sources: its line search serves core/linalg/limited_memory_bfgs.h, natively and on the page.
fetched_source(lbfgs chokkan/liblbfgs 1.10 lib/lbfgs.c)
add_library(lbfgs STATIC src/core/linalg/lbfgs_line_search.c)
target_include_directories(lbfgs PRIVATE "${lbfgs_SOURCE_DIR}/lib" SYSTEM PUBLIC "${lbfgs_SOURCE_DIR}/include")
if(EMSCRIPTEN)
    target_compile_options(lbfgs PRIVATE -O2)
endif()
