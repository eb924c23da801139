# The fuzzer of the ONNX reader (KAPPAFLOW_FUZZ, clang): scripts/fuzz.sh builds and runs it.
add_executable(fuzz_seeds tests/fuzz/fuzz_seeds.cpp)
target_include_directories(fuzz_seeds PRIVATE tests)
target_link_libraries(fuzz_seeds PRIVATE nlohmann embedded_test_data)

add_executable(fuzz_onnx tests/fuzz/fuzz_onnx.cpp tests/fuzz/protobuf_mutator.cpp)
target_include_directories(fuzz_onnx PRIVATE tests)
target_link_libraries(fuzz_onnx PRIVATE kf_core)
target_link_options(fuzz_onnx PRIVATE -fsanitize=fuzzer)
