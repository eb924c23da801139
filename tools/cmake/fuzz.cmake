# The fuzzers of the readers of networks, data and images, of whole requests, and of what a reader does on the screen: tools/scripts/fuzz.sh builds and runs them.
add_executable(fuzz_seeds tests/fuzz/fuzz_seeds.cpp)
target_include_directories(fuzz_seeds PRIVATE tests)
target_link_libraries(fuzz_seeds PRIVATE nlohmann embedded_test_data kf_scenes)

add_executable(fuzz_onnx tests/fuzz/fuzz_onnx.cpp tests/fuzz/protobuf_mutator.cpp)
target_include_directories(fuzz_onnx PRIVATE tests)
target_link_libraries(fuzz_onnx PRIVATE kf_core)
target_link_options(fuzz_onnx PRIVATE -fsanitize=fuzzer)

foreach(format safetensors npz)
    add_executable(fuzz_${format} tests/fuzz/fuzz_${format}.cpp)
    target_include_directories(fuzz_${format} PRIVATE tests)
    target_link_libraries(fuzz_${format} PRIVATE kf_core)
    target_link_options(fuzz_${format} PRIVATE -fsanitize=fuzzer)
endforeach()

add_executable(fuzz_csv tests/fuzz/fuzz_csv.cpp)
target_link_libraries(fuzz_csv PRIVATE kf_core)
target_link_options(fuzz_csv PRIVATE -fsanitize=fuzzer)

add_executable(fuzz_images tests/fuzz/fuzz_images.cpp)
target_link_libraries(fuzz_images PRIVATE kf_core)
target_link_options(fuzz_images PRIVATE -fsanitize=fuzzer)

add_executable(fuzz_requests tests/fuzz/fuzz_requests.cpp tests/fuzz/protobuf_mutator.cpp)
target_include_directories(fuzz_requests PRIVATE tests)
target_link_libraries(fuzz_requests PRIVATE kf_models kf_codec kf_export nlohmann)
target_link_options(fuzz_requests PRIVATE -fsanitize=fuzzer)

add_executable(fuzz_page tests/fuzz/fuzz_page.cpp)
target_include_directories(fuzz_page PRIVATE tests)
target_link_libraries(fuzz_page PRIVATE kf_app kf_jobs embedded_samples)
target_link_options(fuzz_page PRIVATE -fsanitize=fuzzer)

add_custom_target(fuzzers DEPENDS fuzz_requests fuzz_seeds fuzz_onnx fuzz_safetensors fuzz_npz fuzz_csv fuzz_images)
