# Files as bytes in the program.
#   embed_files(<target> <function> FILES…)  makes an object library <target> that defines
#   std::span<const unsigned char> <function>(std::string_view fileName), empty for an unknown name; declared in <function>.h
# Run as a script (-DOUT= -DFUNCTION= -DFILES=) it writes the source.
if(CMAKE_SCRIPT_MODE_FILE)
    set(text "#include \"${FUNCTION}.h\"\n\nnamespace kappaflow {\n")
    set(table "")
    set(index 0)
    foreach(file IN LISTS FILES)
        get_filename_component(name "${file}" NAME)
        file(READ "${file}" bytes HEX)
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
        string(APPEND text "static const unsigned char kFile${index}[] = {${bytes}0};\n")
        string(APPEND table "    if (fileName == \"${name}\") return {kFile${index}, sizeof kFile${index} - 1};\n")
        math(EXPR index "${index} + 1")
    endforeach()
    string(APPEND text "std::span<const unsigned char> ${FUNCTION}(std::string_view fileName) {\n${table}    return {};\n}\n}  // namespace kappaflow\n")
    file(WRITE "${OUT}" "${text}")
    return()
endif()

set(KF_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")
function(embed_files target function)
    set(directory "${CMAKE_BINARY_DIR}/generated/${target}")
    file(WRITE "${directory}/${function}.h.new"
        "#pragma once\n#include <span>\n#include <string_view>\n\nnamespace kappaflow {\nstd::span<const unsigned char> ${function}(std::string_view fileName);\n}\n")
    file(COPY_FILE "${directory}/${function}.h.new" "${directory}/${function}.h" ONLY_IF_DIFFERENT)
    add_custom_command(OUTPUT "${directory}/${function}.cpp"
        COMMAND ${CMAKE_COMMAND} "-DOUT=${directory}/${function}.cpp" "-DFUNCTION=${function}" "-DFILES=${ARGN}" -P "${KF_EMBED_SCRIPT}"
        DEPENDS ${ARGN} "${KF_EMBED_SCRIPT}" VERBATIM)
    add_library(${target} STATIC "${directory}/${function}.cpp")
    target_include_directories(${target} PUBLIC "${directory}")
endfunction()
