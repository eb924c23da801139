#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/stored_numbers.h"
#include "core/net/network.h"

namespace kappaflow {
namespace tensors {

/// Arrays that a file may have, and bytes of a name.
inline constexpr std::size_t kMaxTensors = 4096, kMaxTensorName = 256;

/// Element types that are read: IEEE 754, and the upper half of a single.
enum class Element { F64, F32, F16, BF16 };
std::size_t bytesOf(Element);

/// Numbers as they stand in a file.
struct Stored {
    Element element = Element::F32;
    bool bigEndian = false;
    bool columnsFirst = false;  ///< Fortran's order: the first index runs fastest
    std::span<const unsigned char> bytes;
};

/// An array with a name, row-major.
struct NamedTensor {
    std::string name;
    std::vector<std::int64_t> dims;
    std::vector<double> values;
};

/// Arrays by name, and what else the file says, as text: "activation" → "relu".
struct TensorFile {
    std::vector<NamedTensor> tensors;
    std::map<std::string, std::string, std::less<>> facts;
    double numbers = 0;  ///< of all arrays
};

/// An array as texts, row-major: numbers in digits, or words.
struct NamedCells {
    std::string name;
    std::vector<std::int64_t> dims;
    std::vector<std::string> cells;
    bool texts = false;
};

/// Whether an array's name says that it is nothing of a network's: a counter of PyTorch's batch norm, whatever numbers it holds.
bool isPassedOver(std::string_view name);
/// Adds an array, its numbers read. Throws InputError naming it when it is wrong, or there is too much with it.
void addTensor(TensorFile&, std::string_view name, const std::vector<std::int64_t>& dims, const Stored&);

/// Throws InputError: `tensor "fc1.weight": REASON.`
[[noreturn]] void refuse(std::string_view tensor, const std::string& reason);

/// Product of the dims, in double. Throws InputError naming the tensor when they are those of none, or of more than a file may hold.
double countOf(std::string_view tensor, const std::vector<std::int64_t>& dims);
/// The numbers as row-major doubles, exactly. The bytes' length must be right. Throws InputError naming the tensor when one is not finite.
std::vector<double> numbers(std::string_view tensor, const std::vector<std::int64_t>& dims, const Stored&);

/// The network that the arrays make, by the rules in network_file.h; what was assumed comes to `notes`. The arrays' numbers are moved out.
/// Throws InputError naming tensor or layer.
Network networkOf(TensorFile, std::vector<std::string>& notes);

/// What a tensor is to its layer.
enum class Part { Weight, Kernel, Bias, Mean, Variance, Ignored };
/// Tensors of one layer, null where there is none.
struct Group {
    std::string name;
    std::string words;            ///< its name with a # for each number in it
    std::vector<double> numbers;  ///< those numbers
    NamedTensor *weight = nullptr, *bias = nullptr, *mean = nullptr, *variance = nullptr;
    bool inputsFirst = false;   ///< its weight is called a kernel: [in][out]
    bool outputsFirst = false;  ///< its name ends in ".weight": [out][in]
    bool isNorm() const { return mean || variance; }
    bool isConvolution() const { return !isNorm() && weight && weight->dims.size() > 2; }
};
/// Layers from the input on. Throws InputError naming the tensor that belongs to none, or the layers whose order the names leave open.
std::vector<Group> orderedGroups(TensorFile&);

}  // namespace tensors

/// An archive of numpy arrays (numpy.savez, savez_compressed): .npy files of version 1 to 3 with numbers <f8, <f4, <f2 or their
/// big-endian forms, rows or columns first; counters of PyTorch's batch norm are passed over. Arrays called activation, input,
/// stride, padding and epsilon are facts: texts or numbers. Lengths are checked against the archive's directory before anything is
/// unpacked, one array after another. Throws InputError naming the entry or the tensor. Memory beside the file: eight bytes a number, and
/// the largest array once more.
tensors::TensorFile readNpz(std::span<const unsigned char>);

/// Reads the arrays of such an archive that are `wanted`, entry by entry: numbers of any width, truth values as 0 and 1, texts. Throws
/// InputError naming the entry or the array: another type, a length that is wrong, more than `most` entries.
std::vector<tensors::NamedCells> readNpzCells(std::span<const unsigned char> archive, bool (*wanted)(std::string_view name),
                                              std::size_t most);

/// One array of numbers as it stands in such an archive, by itself: a .npy file, called `name` in sentences. Throws InputError naming it.
tensors::NamedTensor readNpy(std::span<const unsigned char> file, std::string_view name);

/// Most numbers that the archive can hold, by what its directory says, in double; 0 when there is no sense in it.
double numbersAtMost(std::span<const unsigned char> archive);

/// Whether the bytes begin as a safetensors file does: the header's length in eight bytes, then "{".
bool looksLikeSafetensors(std::span<const unsigned char>);

/// A safetensors file: eight bytes of length, a JSON header {"name": {"dtype", "shape", "data_offsets"}, …, "__metadata__": {…}}, numbers.
/// F64, F32, F16 and BF16; int64 counters of PyTorch's batch norm are passed over. Throws InputError naming the tensor or the byte:
/// other types, lengths and offsets that do not fit the file or each other, two of one name.
tensors::TensorFile readSafetensors(std::span<const unsigned char>);

}  // namespace kappaflow
