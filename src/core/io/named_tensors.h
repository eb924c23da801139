#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/net/network.h"

namespace kappaflow::tensors {

/// Dimensions that a tensor may have.
inline constexpr std::size_t kMaxDims = 8;

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
};

/// Throws InputError: `tensor "fc1.weight": REASON.`
[[noreturn]] void refuse(std::string_view tensor, const std::string& reason);

/// Product of the dims, each 1 or more, in double. Throws InputError naming the tensor.
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
    NamedTensor *weight = nullptr, *bias = nullptr, *mean = nullptr, *variance = nullptr;
    bool inputsFirst = false;   ///< its weight is called a kernel: [in][out]
    bool outputsFirst = false;  ///< its name ends in ".weight": [out][in]
    bool isNorm() const { return mean || variance; }
};
/// Layers from the input on. Throws InputError naming the tensor that belongs to none, or the layers whose order the names leave open.
std::vector<Group> orderedGroups(TensorFile&);

}  // namespace kappaflow::tensors
