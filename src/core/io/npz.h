#pragma once
#include <span>

#include "core/io/named_tensors.h"

namespace kappaflow {

/// An archive of numpy arrays (numpy.savez, savez_compressed): .npy files of version 1 to 3 with numbers <f8, <f4, <f2 or their
/// big-endian forms, rows or columns first; counters of PyTorch's batch norm are passed over. Arrays called activation, input,
/// stride, padding and epsilon are facts: texts or numbers. Lengths are checked against the archive's directory before anything is
/// unpacked, one array after another. Throws InputError naming the entry or the tensor. Memory beside the file: eight bytes a number, and
/// the largest array once more.
tensors::TensorFile readNpz(std::span<const unsigned char>);

/// Most numbers that the archive can hold, by what its directory says, in double; 0 when there is no sense in it.
double numbersAtMost(std::span<const unsigned char> archive);

}  // namespace kappaflow
