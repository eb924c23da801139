// Bytes nobody vouches for → the safetensors reader.
#include "core/io/named_tensors.h"
#include "fuzz/fuzz_tensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return kappaflow::fuzz::checkTensors({data, size}, kappaflow::readSafetensors);
}
