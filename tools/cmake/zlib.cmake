# zlib's inflate and CRC-32 from sources, natively and on the page: npz files are ZIP archives.
fetched_source(zlib madler/zlib 1.3.1 inflate.c)
set(zlib_sources adler32.c crc32.c inffast.c inflate.c inftrees.c zutil.c)
list(TRANSFORM zlib_sources PREPEND "${zlib_SOURCE_DIR}/")
add_library(zlib STATIC ${zlib_sources})
target_include_directories(zlib SYSTEM PUBLIC "${zlib_SOURCE_DIR}")
target_compile_definitions(zlib PRIVATE Z_TESTW=0) # the plain checksum: tables for several bytes at once weigh more than the rest
if(EMSCRIPTEN)
    target_compile_options(zlib PRIVATE -Oz)
endif()
