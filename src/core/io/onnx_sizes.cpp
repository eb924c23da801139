#include <algorithm>

#include "core/io/onnx_folding.h"
#include "core/io/printable.h"
#include "core/io/stored_numbers.h"

namespace kappaflow::onnx {
namespace {

using Sizes = std::vector<std::int64_t>;
using Known = std::optional<Sizes>;

/// What a node's sizes are worked out from.
struct At {
    const Node& node;
    const KnownSizes& known;
    const WholesOf& wholes;

    const Sizes* input(std::size_t i) const {
        if (i >= node.inputs.size()) return nullptr;
        const auto found = known.find(node.inputs[i]);
        return found == known.end() ? nullptr : &found->second;
    }
    /// Of input i, where there is one and it is a constant.
    Known list(std::size_t i) const { return i < node.inputs.size() && !node.inputs[i].empty() ? wholes(node.inputs[i]) : Known(); }
    Known listOr(std::size_t i, const char* name) const {
        const Known given = list(i);
        if (given || (i < node.inputs.size() && !node.inputs[i].empty())) return given;
        return integersAttribute(node, name);
    }
};

/// From the front; nothing for an axis that there is not.
std::optional<std::size_t> axisIn(std::int64_t axis, std::size_t rank) {
    const auto size = static_cast<std::int64_t>(rank);
    if (axis < -size || axis >= size) return {};
    return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

Known sameAsFirst(const At& at) {
    const Sizes* in = at.input(0);
    return in ? Known(*in) : Known();
}

Known broadcastSizes(const At& at) {
    Sizes dims;
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        const Sizes* in = at.input(i);
        if (!in) return {};
        if (in->size() > dims.size()) dims.insert(dims.begin(), in->size() - dims.size(), 1);
        for (std::size_t d = 1; d <= in->size(); ++d) {
            std::int64_t& dim = dims[dims.size() - d];
            const std::int64_t other = (*in)[in->size() - d];
            if (dim != other && dim != 1 && other != 1) return {};
            dim = dim == 1 ? other : dim;
        }
    }
    return dims;
}

Known gemm(const At& at) {
    const Sizes *a = at.input(0), *b = at.input(1);
    if (!a || !b || a->size() != 2 || b->size() != 2) return {};
    const bool ta = flagAttribute(at.node, "transA", false), tb = flagAttribute(at.node, "transB", false);
    return Sizes{(*a)[ta ? 1 : 0], (*b)[tb ? 0 : 1]};
}

Known matMul(const At& at) {
    const Sizes *a = at.input(0), *b = at.input(1);
    if (!a || !b || a->size() < 2 || b->size() < 2) return {};
    Sizes dims = a->size() >= b->size() ? *a : *b;
    dims[dims.size() - 2] = (*a)[a->size() - 2];
    dims[dims.size() - 1] = b->back();
    return dims;
}

Known convTransposed(const At& at) {
    const Sizes *in = at.input(0), *weights = at.input(1);
    if (!in || !weights || in->size() < 3 || weights->size() != in->size()) return {};
    const std::size_t axes = in->size() - 2;
    Sizes strides = integersAttribute(at.node, "strides"), dilations = integersAttribute(at.node, "dilations"),
          pads = integersAttribute(at.node, "pads"), more = integersAttribute(at.node, "output_padding"), out = *in;
    if (strides.empty()) strides.assign(axes, 1);
    if (dilations.empty()) dilations.assign(axes, 1);
    if (more.empty()) more.assign(axes, 0);
    if (pads.empty()) pads.assign(2 * axes, 0);
    if (strides.size() != axes || dilations.size() != axes || more.size() != axes || pads.size() != 2 * axes) return {};
    for (const Sizes* list : {&strides, &dilations, &more, &pads})
        for (const std::int64_t number : *list)
            if (number < 0 || number > 1 << 20) return {};
    const std::int64_t groups = integerAttribute(at.node, "group", 1);
    if (groups < 1 || groups > 1 << 20 || (*weights)[1] > 1 << 30 || textAttribute(at.node, "auto_pad", "NOTSET") != "NOTSET") return {};
    out[1] = (*weights)[1] * groups;
    for (std::size_t i = 0; i < axes; ++i) {
        if ((*in)[i + 2] > 1 << 30 || (*weights)[i + 2] > 1 << 30) return {};
        out[i + 2] = ((*in)[i + 2] - 1) * strides[i] + dilations[i] * ((*weights)[i + 2] - 1) + 1 + more[i] - pads[i] - pads[axes + i];
    }
    return out;
}

/// Conv and poolings.
Known windowed(const At& at) {
    const Sizes* in = at.input(0);
    if (!in || in->size() < 3) return {};
    const std::size_t axes = in->size() - 2;
    Sizes out = *in, kernel = integersAttribute(at.node, "kernel_shape");
    if (at.node.type == "Conv") {
        const Sizes* weights = at.input(1);
        if (!weights || weights->size() != in->size()) return {};
        out[1] = weights->front();
        kernel.assign(weights->begin() + 2, weights->end());
    }
    Sizes strides = integersAttribute(at.node, "strides"), dilations = integersAttribute(at.node, "dilations"),
          pads = integersAttribute(at.node, "pads");
    if (strides.empty()) strides.assign(axes, 1);
    if (dilations.empty()) dilations.assign(axes, 1);
    if (pads.empty()) pads.assign(2 * axes, 0);
    if (kernel.size() != axes || strides.size() != axes || dilations.size() != axes || pads.size() != 2 * axes) return {};
    const std::string_view automatic = textAttribute(at.node, "auto_pad", "NOTSET");
    const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER", up = flagAttribute(at.node, "ceil_mode", false);
    for (const Sizes* list : {&kernel, &strides, &dilations, &pads})
        for (const std::int64_t number : *list)
            if (number < 0 || number > 1 << 20) return {};
    for (std::size_t i = 0; i < axes; ++i) {
        if (strides[i] == 0) return {};
        const std::int64_t cells = (*in)[i + 2], room = cells + pads[i] + pads[axes + i] - dilations[i] * (kernel[i] - 1) - 1;
        if (!same && room < 0) return {};
        out[i + 2] = same ? (cells + strides[i] - 1) / strides[i] : (room + (up ? strides[i] - 1 : 0)) / strides[i] + 1;
        // A window that would start behind the input is left out.
        if (!same && up && (out[i + 2] - 1) * strides[i] >= cells + pads[i]) --out[i + 2];
    }
    return out;
}

Known globalPool(const At& at) {
    const Sizes* in = at.input(0);
    if (!in || in->size() < 2) return {};
    Sizes out = *in;
    std::fill(out.begin() + 2, out.end(), 1);
    return out;
}

Known reduced(const At& at) {
    const Sizes* in = at.input(0);
    const Known axes = at.listOr(1, "axes");
    if (!in || !axes) return {};
    const bool keeps = flagAttribute(at.node, "keepdims", true);
    std::vector<bool> gone(in->size(), axes->empty());
    for (const std::int64_t axis : *axes) {
        const auto place = axisIn(axis, in->size());
        if (!place) return {};
        gone[*place] = true;
    }
    Sizes out;
    for (std::size_t d = 0; d < in->size(); ++d)
        if (keeps || !gone[d]) out.push_back(gone[d] ? 1 : (*in)[d]);
    return out;
}

Known flattened(const At& at) {
    const Sizes* in = at.input(0);
    const std::int64_t axis = integerAttribute(at.node, "axis", 1);
    if (!in || axis < -static_cast<std::int64_t>(in->size()) || axis > static_cast<std::int64_t>(in->size())) return {};
    const std::size_t split = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(in->size()) : axis);
    Sizes out{1, 1};
    for (std::size_t d = 0; d < in->size(); ++d) out[d < split ? 0 : 1] *= (*in)[d];
    return out;
}

Known reshaped(const At& at) {
    const Sizes* in = at.input(0);
    Known wanted = at.list(1);
    if (!in || !wanted) return {};
    const bool zerosCopy = !flagAttribute(at.node, "allowzero", false);
    double product = 1;
    std::int64_t* open = nullptr;
    for (std::size_t d = 0; d < wanted->size(); ++d) {
        std::int64_t& size = (*wanted)[d];
        if (size == 0 && zerosCopy && d < in->size()) size = (*in)[d];
        if (size == -1 && open) return {};
        if (size == -1)
            open = &size;
        else
            product *= static_cast<double>(size);
    }
    if (open) *open = product > 0 ? static_cast<std::int64_t>(productOf(*in) / product) : 0;
    return productOf(*wanted) == productOf(*in) ? wanted : Known();
}

Known squeezed(const At& at) {
    const Sizes* in = at.input(0);
    const Known axes = at.listOr(1, "axes");
    if (!in || !axes) return {};
    std::vector<bool> gone(in->size());
    for (std::size_t d = 0; d < in->size() && axes->empty(); ++d) gone[d] = (*in)[d] == 1;
    for (const std::int64_t axis : *axes) {
        const auto place = axisIn(axis, in->size());
        if (!place || (*in)[*place] != 1) return {};
        gone[*place] = true;
    }
    Sizes out;
    for (std::size_t d = 0; d < in->size(); ++d)
        if (!gone[d]) out.push_back((*in)[d]);
    return out;
}

Known unsqueezed(const At& at) {
    const Sizes* in = at.input(0);
    const Known axes = at.listOr(1, "axes");
    if (!in || !axes) return {};
    std::vector<bool> added(in->size() + axes->size());
    for (const std::int64_t axis : *axes) {
        const auto place = axisIn(axis, added.size());
        if (!place || added[*place]) return {};
        added[*place] = true;
    }
    Sizes out;
    auto next = in->begin();
    for (const bool isNew : added) out.push_back(isNew ? 1 : *next++);
    return out;
}

Known transposed(const At& at) {
    const Sizes* in = at.input(0);
    if (!in) return {};
    const Sizes perm = integersAttribute(at.node, "perm");
    if (perm.empty()) return Sizes(in->rbegin(), in->rend());
    Sizes out;
    for (const std::int64_t axis : perm) {
        const auto place = axisIn(axis, in->size());
        if (!place) return {};
        out.push_back((*in)[*place]);
    }
    return out.size() == in->size() ? Known(out) : Known();
}

Known joined(const At& at) {
    const Sizes* first = at.input(0);
    if (!first) return {};
    const auto axis = axisIn(integerAttribute(at.node, "axis", 0), first->size());
    if (!axis) return {};
    Sizes out = *first;
    for (std::size_t i = 1; i < at.node.inputs.size(); ++i) {
        const Sizes* in = at.input(i);
        if (!in || in->size() != out.size()) return {};
        out[*axis] += (*in)[*axis];
    }
    return out;
}

Known einsummed(const At& at) {
    if (at.node.inputs.size() != 2) return {};
    const std::array<std::string, 3> letters = einsumLetters(at.node);
    std::map<char, std::int64_t> sizes;
    for (std::size_t k = 0; k < 2; ++k) {
        const Sizes* in = at.input(k);
        if (!in || in->size() != letters[k].size()) return {};
        for (std::size_t d = 0; d < in->size(); ++d)
            if (sizes.emplace(letters[k][d], (*in)[d]).first->second != (*in)[d]) return {};
    }
    Sizes out;
    for (const char letter : letters[2]) out.push_back(sizes.at(letter));
    return out;
}

/// Of positive steps only.
Known sliced(const At& at) {
    const Sizes* in = at.input(0);
    const Known starts = at.listOr(1, "starts"), ends = at.listOr(2, "ends");
    Known axes = at.listOr(3, "axes");
    const Known steps = at.listOr(4, "");
    if (!in || !starts || !ends || !axes || !steps || std::any_of(steps->begin(), steps->end(), [](auto step) { return step < 1; }))
        return {};
    if (axes->empty())
        for (std::size_t i = 0; i < starts->size(); ++i) axes->push_back(static_cast<std::int64_t>(i));
    if (starts->size() != ends->size() || axes->size() != starts->size() || (!steps->empty() && steps->size() != starts->size())) return {};
    Sizes out = *in;
    for (std::size_t i = 0; i < axes->size(); ++i) {
        const auto axis = axisIn((*axes)[i], in->size());
        if (!axis) return {};
        const std::int64_t size = (*in)[*axis], step = steps->empty() ? 1 : (*steps)[i];
        const auto bounded = [size](std::int64_t place) {
            return std::clamp<std::int64_t>(place < 0 ? std::max(place, -size) + size : place, 0, size);
        };
        const std::int64_t room = bounded((*ends)[i]) - bounded((*starts)[i]);
        out[*axis] = room > 0 ? (room - 1) / step + 1 : 0;
    }
    return out;
}

Known padded(const At& at) {
    const Sizes* in = at.input(0);
    const Known pads = at.listOr(1, "pads");
    if (!in || !pads || pads->size() != 2 * in->size()) return {};
    Sizes out = *in;
    for (std::size_t d = 0; d < out.size(); ++d) {
        for (const std::int64_t pad : {(*pads)[d], (*pads)[out.size() + d]})
            if (pad < -(std::int64_t{1} << 30) || pad > std::int64_t{1} << 30) return {};
        out[d] += (*pads)[d] + (*pads)[out.size() + d];
    }
    return out;
}

Known gathered(const At& at) {
    const Sizes *in = at.input(0), *list = at.input(1);
    if (!in || !list) return {};
    const auto axis = axisIn(integerAttribute(at.node, "axis", 0), in->size());
    if (!axis) return {};
    const auto place = static_cast<std::ptrdiff_t>(*axis);
    Sizes out(in->begin(), in->begin() + place);
    out.insert(out.end(), list->begin(), list->end());
    out.insert(out.end(), in->begin() + place + 1, in->end());
    return out;
}

Known rescaled(const At& at) {
    const Sizes* in = at.input(0);
    const bool upsample = at.node.type == "Upsample";
    if (const Known sizes = upsample ? Known() : at.list(3)) return sizes;
    const Known factors = at.list(upsample ? 1 : 2);
    if (!in || !factors || factors->size() != in->size()) return {};
    Sizes out = *in;
    for (std::size_t d = 0; d < out.size(); ++d) {
        if ((*factors)[d] < 1 || (*factors)[d] > std::int64_t{1} << 20) return {};
        out[d] *= (*factors)[d];
    }
    return out;
}

/// Operators whose output has the sizes of their first input.
constexpr std::string_view kPointwise =
    "Relu LeakyRelu PRelu Abs Tanh Sigmoid HardSigmoid Clip Elu Selu Celu Softplus Gelu Mish HardSwish "
    "Softsign Erf Exp Log Sqrt Sin Cos Neg Reciprocal Floor Ceil Softmax LogSoftmax Dropout Identity Cast Not "
    "BatchNormalization LayerNormalization InstanceNormalization GroupNormalization LRN ";

using Rule = Known (*)(const At&);

const std::map<std::string_view, Rule>& rules() {
    static const std::map<std::string_view, Rule> all = [] {
        std::map<std::string_view, Rule> rules{
            {"Gemm", gemm},
            {"MatMul", matMul},
            {"Conv", windowed},
            {"ConvTranspose", convTransposed},
            {"MaxPool", windowed},
            {"AveragePool", windowed},
            {"GlobalAveragePool", globalPool},
            {"GlobalMaxPool", globalPool},
            {"Flatten", flattened},
            {"Reshape", reshaped},
            {"Squeeze", squeezed},
            {"Unsqueeze", unsqueezed},
            {"Transpose", transposed},
            {"Concat", joined},
            {"Einsum", einsummed},
            {"Slice", sliced},
            {"Pad", padded},
            {"Gather", gathered},
            {"Resize", rescaled},
            {"Upsample", rescaled},
        };
        for (std::string_view list = kPointwise; !list.empty(); list.remove_prefix(list.find(' ') + 1))
            rules[list.substr(0, list.find(' '))] = sameAsFirst;
        for (const char* type : {"Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Sum", "Mean", "Where", "Equal", "Less", "Greater"})
            rules[type] = broadcastSizes;
        for (const char* type :
             {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceProd"})
            rules[type] = reduced;
        return rules;
    }();
    return all;
}

}  // namespace

Sizes evenParts(std::int64_t cells, std::int64_t parts) {
    const std::int64_t even = (cells + parts - 1) / parts;
    Sizes lengths;
    for (std::int64_t i = 0; i < parts; ++i) lengths.push_back(std::clamp<std::int64_t>(cells - i * even, 0, even));
    return lengths;
}

std::array<std::string, 3> einsumLetters(const Node& node) {
    std::array<std::string, 3> letters;
    std::size_t part = 0;
    bool fits = named(node.inputs).size() == 2;
    const std::string_view equation = textAttribute(node, "equation", "");
    for (std::size_t i = 0; i < equation.size() && fits; ++i) {
        const char c = equation[i];
        if (c == ' ') continue;
        if (c == ',' || (c == '-' && i + 1 < equation.size() && equation[i + 1] == '>')) {
            fits = part == (c == ',' ? 0U : 1U);
            i += c == '-' ? 1 : 0;
            ++part;
        } else {
            fits = ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) && letters[part].find(c) == std::string::npos;
            letters[part] += c;
        }
    }
    for (const char c : letters[2]) fits &= (letters[0] + letters[1]).find(c) != std::string::npos;
    if (!fits || part != 2)
        refuse(node, "its equation " + quoted(equation) + " is not supported; two operands may be multiplied, with one letter an axis");
    return letters;
}

std::optional<Sizes> sizesOfOutput(const Node& node, const KnownSizes& known, const WholesOf& wholes) {
    const auto rule = rules().find(node.type);
    if (rule == rules().end()) return {};
    Known sizes = rule->second({node, known, wholes});
    if (!sizes || sizes->size() > kMaxDims || productOf(*sizes) > 1e15) return {};
    for (const std::int64_t size : *sizes)
        if (size < 0 || size > 2147483647) return {};
    return sizes;
}

}  // namespace kappaflow::onnx
