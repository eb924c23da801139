# What is run: the native program, or the page's two wasm modules.
if(NOT EMSCRIPTEN)
    system_headers(cli11 CLI)
    room(cli src/cli/*.cpp)
    target_link_libraries(kf_cli PUBLIC kf_jobs kf_export PRIVATE kf_pictures embedded_fonts nlohmann cli11)
    add_executable(kappaflow src/main/main.cpp)
    target_link_libraries(kappaflow PRIVATE kf_cli kf_app)
    return()
endif()

function(web_module name)
    set_target_properties(${name} PROPERTIES SUFFIX ".mjs")
    target_link_options(${name} PRIVATE --bind -sMODULARIZE=1 -sEXPORT_ES6=1 -sENVIRONMENT=web,worker -sFILESYSTEM=0
        -sDYNAMIC_EXECUTION=0 -sMALLOC=emmalloc -sINITIAL_MEMORY=16777216 -sSTRICT_JS=0)
endfunction()

file(GLOB bindings CONFIGURE_DEPENDS src/bindings/*.cpp)
add_executable(kappaflow-core ${bindings})
target_link_libraries(kappaflow-core PRIVATE kf_jobs kf_export nlohmann)
web_module(kappaflow-core)
# What runs once per request or click is built for size (25 kB less, brotli). Not the models and the codec, whose loops run at
# every frame of a drag: they would take twice as long.
foreach(target kf_scenes kf_export kappaflow-core)
    target_compile_options(${target} PRIVATE -Os)
endforeach()

add_executable(kappaflow-page src/main/page.cpp)
target_link_libraries(kappaflow-page PRIVATE kf_app)
web_module(kappaflow-page)
target_link_options(kappaflow-page PRIVATE -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sEXPORTED_RUNTIME_METHODS=GL)
