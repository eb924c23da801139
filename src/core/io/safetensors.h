#pragma once
#include <span>

#include "core/io/named_tensors.h"

namespace kappaflow {

/// Whether the bytes begin as a safetensors file does: the header's length in eight bytes, then "{".
bool looksLikeSafetensors(std::span<const unsigned char>);

/// A safetensors file: eight bytes of length, a JSON header {"name": {"dtype", "shape", "data_offsets"}, …, "__metadata__": {…}}, numbers.
/// F64, F32, F16 and BF16; int64 counters of PyTorch's batch norm are passed over. Throws InputError naming the tensor or the byte:
/// other types, lengths and offsets that do not fit the file or each other, two of one name.
tensors::TensorFile readSafetensors(std::span<const unsigned char>);

}  // namespace kappaflow
