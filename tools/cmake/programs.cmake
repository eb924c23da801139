# What is run: the native program, or the page's wasm modules: kappaflow-page draws, kappaflow-core-BUNDLE computes a bundle's scenes for
# it, kappaflow-core-files reads and writes files for these, kappaflow-core computes every scene for other programs.
if(NOT EMSCRIPTEN)
    system_headers(cli11 CLI)
    room(cli src/cli/*.cpp)
    target_link_libraries(kf_cli PUBLIC kf_jobs kf_export PRIVATE kf_pictures embedded_fonts cli11)
    # Sanitizers bring an allocator of their own.
    add_executable(kappaflow src/main/main.cpp $<$<AND:$<PLATFORM_ID:Linux>,$<NOT:$<BOOL:${KAPPAFLOW_SANITIZE}>>>:src/main/memory_native.cpp>)
    target_link_libraries(kappaflow PRIVATE kf_cli kf_app)
    return()
endif()

function(web_module name)
    set_target_properties(${name} PROPERTIES SUFFIX ".mjs")
    target_link_options(${name} PRIVATE --bind -sMODULARIZE=1 -sEXPORT_ES6=1 -sENVIRONMENT=web,worker -sFILESYSTEM=0
        -sDYNAMIC_EXECUTION=0 -sMALLOC=emmalloc -sINITIAL_MEMORY=16777216 -sSTRICT_JS=0)
endfunction()

# Binaryen at -O2 takes 10 to 50 s a module and makes no benchmark faster; these few passes leave as few bytes to send.
function(link_lightly name)
    target_link_options(${name} PRIVATE -O1 -sBINARYEN_EXTRA_PASSES=--duplicate-function-elimination,--simplify-locals-nostructure,--vacuum,--coalesce-locals,--vacuum,--reorder-locals)
endfunction()

# What every module that computes has, compiled once, and what the whole core has beside.
add_library(job_bindings OBJECT src/bindings/convert.cpp src/bindings/decimal.cpp src/bindings/job_module.cpp)
add_library(bundle_files OBJECT src/bindings/bundle_files.cpp)
add_executable(kappaflow-core src/bindings/core_module.cpp src/bindings/export_module.cpp)
set(computing_modules kappaflow-core)

# One module a bundle: the page fetches only the models of the scene at hand and of its neighbours. The registries, compiled for the
# bundle, stand in for those of the libraries (which are by themselves in there, so that nothing else brings them), and the linker takes no
# model that they do not name.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/scenes/scenes.def)
file(STRINGS src/scenes/scenes.def bundles REGEX "^SCENE")
list(TRANSFORM bundles REPLACE "^SCENE\\(([a-z]+),.*" "\\1")
list(REMOVE_DUPLICATES bundles)
set(registries "${CMAKE_BINARY_DIR}/unity/registries.cpp")
file(CONFIGURE OUTPUT "${registries}" CONTENT "#include \"scenes/declarations.cpp\"\n#include \"scenes/models.cpp\"\n")
foreach(bundle IN LISTS bundles)
    add_executable(kappaflow-core-${bundle} "${registries}")
    target_compile_definitions(kappaflow-core-${bundle} PRIVATE KAPPAFLOW_BUNDLE="${bundle}")
    target_link_libraries(kappaflow-core-${bundle} PRIVATE bundle_files)
    list(APPEND computing_modules kappaflow-core-${bundle})
endforeach()

target_link_libraries(kappaflow-core PRIVATE kf_export)
foreach(target job_bindings bundle_files ${computing_modules})
    target_link_libraries(${target} PRIVATE kf_jobs)
    target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:embedded_samples,INTERFACE_INCLUDE_DIRECTORIES>)
endforeach()
foreach(module IN LISTS computing_modules)
    target_link_libraries(${module} PRIVATE job_bindings)
    web_module(${module})
    link_lightly(${module})
endforeach()
# What reads and writes network files for these: a third of each, were it in them.
add_executable(kappaflow-core-files src/bindings/files_module.cpp src/bindings/export_module.cpp src/bindings/convert.cpp
    src/bindings/decimal.cpp)
target_link_libraries(kappaflow-core-files PRIVATE kf_codec kf_export)
web_module(kappaflow-core-files)
link_lightly(kappaflow-core-files)
add_custom_target(web_modules DEPENDS kappaflow-page kappaflow-core-files ${computing_modules})

# What runs once per click or frame is built for size; what runs once per request keeps its inlining (-Os), since a drag makes 60
# of them a second. Full speed stays with the loops of core and models, the reading of numbers from files, the codec and the
# vertices of what is drawn.
foreach(target imgui kf_pictures kf_app)
    target_compile_options(${target} PRIVATE -Oz)
endforeach()
# Nothing in here throws or catches: without clean-up for exceptions that never come the code is a tenth smaller, declarations a
# quarter.
foreach(target imgui kf_draw kf_pictures)
    target_compile_options(${target} PRIVATE -fno-exceptions)
endforeach()
list(REMOVE_ITEM app_sources "${app}/session.cpp" "${app}/session_files.cpp" "${app}/host_runner.cpp") # which catch what their callees throw
compile_apart(app quiet OPTIONS -fno-exceptions FILES ${app_sources})
foreach(target kf_scenes kf_export)
    target_compile_options(${target} PRIVATE -Os)
endforeach()
foreach(target kf_models job_bindings bundle_files ${computing_modules})
    target_compile_options(${target} PRIVATE -Oz)
endforeach()
compile_apart(scenes tables OPTIONS -Oz -fno-exceptions FILES src/scene/table.cpp)
compile_apart(scenes links OPTIONS -Oz FILES src/scene/state.cpp src/scene/param.cpp src/scene/report.cpp
    src/scene/typed_model.cpp src/scene/scene.cpp)
# At -Os this clang puts two doubles side by side in the wrong order here: the least curvature came out wrong.
compile_apart(scenes curvature OPTIONS -Os -fno-slp-vectorize FILES src/scenes/linear_models/subspace_model.cpp)
file(GLOB lens CONFIGURE_DEPENDS src/scenes/one_network/network_lens*.cpp)
list(FILTER lens EXCLUDE REGEX "picture")
compile_apart(scenes lens OPTIONS -Oz FILES ${lens}) # the heaviest bundle; its loops are the core's
foreach(bundle lens flow) # flow: the first that is fetched
    target_link_options(kappaflow-core-${bundle} PRIVATE -Oz)
    target_sources(kappaflow-core-${bundle} PRIVATE src/main/memory_web.cpp)
endforeach()
set_source_files_properties(src/main/memory_web.cpp PROPERTIES COMPILE_OPTIONS "-O2;-mbulk-memory;-fno-builtin")
set_source_files_properties("${CMAKE_BINARY_DIR}/imgui/imgui_draw.cpp" PROPERTIES COMPILE_OPTIONS -O2)
file(GLOB per_frame CONFIGURE_DEPENDS src/draw/*.cpp)
list(FILTER per_frame EXCLUDE REGEX "/(imgui_painter|imgui_shapes|stroke|contour|plot_series|color)\\.cpp$")
compile_apart(draw per_frame OPTIONS -Oz FILES ${per_frame})
add_executable(kappaflow-page src/main/page.cpp src/main/memory_web.cpp)
target_link_libraries(kappaflow-page PRIVATE kf_app)
target_compile_options(kappaflow-page PRIVATE -Oz)
web_module(kappaflow-page)
# With the names of functions, by which tools/scripts/split_pictures.mjs takes it apart; the site's files have none.
target_link_options(kappaflow-page PRIVATE -Oz --profiling-funcs)
target_link_options(kappaflow-page PRIVATE -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sEXPORTED_RUNTIME_METHODS=GL)
