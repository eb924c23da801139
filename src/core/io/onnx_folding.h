#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cost.h"
#include "core/io/onnx_graph.h"

namespace kappaflow::onnx {

/// Values of a tensor that is computed while the file is read: whole numbers for INT64, INT32 and BOOL, doubles for FLOAT and DOUBLE.
struct Folded {
    std::vector<std::int64_t> dims;  ///< sizes of 0 are possible
    std::int64_t type = kInt64;
    std::vector<double> reals;
    std::vector<std::int64_t> wholes;

    bool isReal() const { return type == kFloat || type == kDouble; }
    std::size_t count() const { return isReal() ? reals.size() : wholes.size(); }
};

/// Numbers that all folding of one model may read and make together, of a file that stores so many bytes of them: less than a second of
/// work for a small one, and of memory what the page has, natively more for a large one.
inline double mostFoldedNumbers(double storedBytes) { return std::min(2e7 * roomFactor(), 2e7 + storedBytes); }

/// The values of a tensor of the file, which may be of no entries. Throws InputError naming it when they are of another type or not there.
Folded foldedOf(const Tensor&);

/// isFolded says whether `fold` knows the node's operator.
bool isFolded(const Node&);

/// fold computes a node's output from constants, as the ONNX specification says; inputs that are left out are null. It gives nothing for
/// an operator or a form that is not folded. It throws InputError naming the node when the inputs do not fit together, or beyond `budget`,
/// which goes down.
///   Gather, Slice, Concat, Expand, Transpose, ScatterND · Cast, ConstantOfShape, Range, Where · Add, Sub, Mul, Div, Mod (of whole
///   numbers), Pow, Min, Max · Equal, Less, Greater, LessOrEqual, GreaterOrEqual, And, Or · Neg, Abs, Sqrt, Exp, Log, Floor, Ceil,
///   Reciprocal, Not
/// (Shape, Size, and what only says sizes anew, Reshape, Flatten, Squeeze, Unsqueeze, Identity, Dropout, are Constants' own.)
std::optional<Folded> fold(const Node&, const std::vector<const Folded*>& inputs, double& budget);

/// Sizes of values with the batch axis in front, a batch of any number counting as one sample; only of those that are known.
using KnownSizes = std::map<std::string_view, std::vector<std::int64_t>>;

/// Letters of an Einsum's two operands and of its output, one an axis, each at most once in each. Throws InputError naming the node.
std::array<std::string, 3> einsumLetters(const Node&);

/// Lengths of the parts that a Split makes of an axis where it states none: alike, the last ones shorter.
std::vector<std::int64_t> evenParts(std::int64_t cells, std::int64_t parts);

/// The numbers of a constant that are all whole; nothing for what is computed from the model's input or is no such constant.
using WholesOf = std::function<std::optional<std::vector<std::int64_t>>(std::string_view value)>;

/// Sizes of a node's first output from those of its inputs, where the operator and the sizes are known; what makes no sense is unknown.
std::optional<std::vector<std::int64_t>> sizesOfOutput(const Node&, const KnownSizes&, const WholesOf&);

}  // namespace kappaflow::onnx
