#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "core/base/errors.h"
#include "core/io/onnx_folding.h"
#include "core/io/onnx_operators.h"
#include "core/io/printable.h"
#include "core/io/stored_numbers.h"

namespace kappaflow::onnx {
namespace {

using Chains = std::vector<LayerChain*>;
using Sizes = std::vector<std::int64_t>;

bool areAlike(const Chains& operands) {
    return std::all_of(operands.begin(), operands.end(), [&](const LayerChain* x) { return x->value() == operands[0]->value(); });
}

void bringInOrder(const Node& node, const Chains& operands) {
    for (LayerChain* x : operands) x->bringInOrder(node);
}

bool anyFree(const Chains& operands) {
    return std::any_of(operands.begin(), operands.end(), [](const LayerChain* x) { return x->value().isFree(); });
}

/// Numpy's rule: axes of one entry are repeated; a free tensor may have fewer of them.
void broadcast(const Node& node, const Chains& operands) {
    if (areAlike(operands)) return;
    bringInOrder(node, operands);
    Sizes sizes = operands[0]->value().tensor();
    for (const LayerChain* x : operands) {
        Sizes own = x->value().tensor();
        bool fits = own.size() == sizes.size() || anyFree(operands);
        if (fits && own.size() < sizes.size()) own.insert(own.begin(), sizes.size() - own.size(), 1);
        if (fits && own.size() > sizes.size()) sizes.insert(sizes.begin(), own.size() - sizes.size(), 1);
        for (std::size_t i = 0; fits && i < own.size(); ++i) {
            fits = own[i] == 1 || sizes[i] == 1 || own[i] == sizes[i];
            sizes[i] = std::max(sizes[i], own[i]);
        }
        if (!fits)
            refuse(node,
                   "it joins " + operands[0]->value().text() + " and " + x->value().text() + ", which do not broadcast to each other");
    }
    for (LayerChain* x : operands)
        if (x->value().tensor() != sizes) expandTo(node, *x, sizes);
}

/// Side by side along any axis, constants among them: computed values one behind another, every number from there to its place.
Joined strewn(const Node& node, const Chains& operands) {
    const Constants& constants = operands[0]->source().constants;
    const std::optional<int> place = operands[0]->value().place(integerAttribute(node, "axis", 1));
    const Sizes first = operands[0]->value().tensor();
    // Last states of several layers [1, N, size] are put together along an axis in front of the batch axis.
    if (!place || (*place < 0 && std::count(first.begin(), first.end(), 1) < 2)) refuse(node, "its axis must be one behind the batch axis");
    const auto axis = static_cast<std::size_t>(*place + (operands[0]->value().isFree() ? 0 : 1));
    struct Part {
        Sizes dims;
        int first = -1;              // of a computed one
        std::vector<double> values;  // of a constant
    };
    std::vector<Part> parts;
    std::size_t next = 0;
    int units = 0;
    for (std::string_view input : node.inputs) {
        if (const Tensor* constant = constants.find(input)) {
            parts.push_back({constant->dims, -1, numbers(*constant)});
            continue;
        }
        LayerChain& x = *operands[next++];
        x.bringInOrder(node);
        parts.push_back({x.value().tensor(), units, {}});
        x.reshape(node, valueOf({static_cast<std::int64_t>(x.value().shape.units())}));
        units += static_cast<int>(x.value().shape.units());
    }
    Sizes dims = parts[0].dims;
    if (axis >= dims.size()) refuse(node, "its axis must be one behind the batch axis");
    dims[axis] = 0;
    for (const Part& part : parts) {
        Sizes alike = part.dims;
        if (alike.size() == dims.size()) alike[axis] = dims[axis];
        if (alike != dims)
            refuse(node, "it puts " + shapeText(parts[0].dims) + " and " + shapeText(part.dims) +
                             " side by side, which differ along other axes too");
        dims[axis] += part.dims[axis];
    }
    requireUnits(node, productOf(dims));
    const auto count = [&](auto first, auto last) { return static_cast<int>(productOf({first, last})); };
    const auto at = dims.begin() + static_cast<std::ptrdiff_t>(axis);
    const int outer = count(dims.begin(), at), inner = count(at + 1, dims.end());
    std::vector<int> from;
    std::vector<double> terms;
    for (int o = 0; o < outer; ++o)
        for (const Part& part : parts) {
            const int run = static_cast<int>(part.dims[axis]) * inner;
            for (int i = o * run; i < (o + 1) * run; ++i) {
                from.push_back(part.first < 0 ? -1 : part.first + i);
                terms.push_back(part.first < 0 ? part.values[static_cast<std::size_t>(i)] : 0);
            }
        }
    Joined join;
    join.op = Concat{};
    join.out = valueOf({units});
    join.behind = [=, &node](LayerChain& chain) {
        chain.move(node, tensorOf(dims), from);
        if (std::any_of(terms.begin(), terms.end(), [](double term) { return term != 0; })) addScale(node, chain, {1}, terms);
    };
    return join;
}

/// Channels side by side as a layer of their own, anything else by `strewn`.
Joined concatenated(const Node& node, const Chains& operands) {
    const Value& first = operands[0]->value();
    const std::optional<int> place = first.place(integerAttribute(node, "axis", 1));
    const bool last = std::all_of(operands.begin(), operands.end(), [](const LayerChain* x) { return x->value().channelsLast; });
    const bool channels = place && (first.rank == 2 ? *place == 0 : *place == (last ? static_cast<int>(first.rank) - 2 : 0));
    if (!channels || anyFree(operands) || operands.size() < node.inputs.size()) return strewn(node, operands);
    if (!last || first.rank == 2) bringInOrder(node, operands);
    Sizes sizes = operands[0]->value().sizes();
    const auto at = static_cast<std::size_t>(*place);
    for (std::size_t k = 1; k < operands.size(); ++k) {
        Sizes own = operands[k]->value().sizes();
        const std::int64_t along = own.size() == sizes.size() ? own[at] : 0;
        if (along > 0) own[at] = sizes[at];
        if (own != sizes)
            refuse(node, "it puts " + operands[0]->value().text() + " and " + operands[k]->value().text() +
                             " side by side, which differ along other axes too");
        sizes[at] += along;
    }
    double units = 1;
    for (const std::int64_t size : sizes) units *= static_cast<double>(size);
    requireUnits(node, units);
    Joined join;
    join.op = Concat{};
    join.out = last && sizes.size() > 1 ? channelsLastOf(sizes) : valueOf(sizes);
    return join;
}

Joined product(const Node& node, const Chains& operands) {
    bringInOrder(node, operands);
    Sizes a = operands[0]->value().tensor(), b = operands[1]->value().tensor();
    const bool fit = a.size() >= 2 && a.size() == b.size() && std::equal(a.begin(), a.end() - 2, b.begin()) &&
                     a.back() == b[b.size() - 2] && (operands[0]->value().isFree() || a.size() > 2);
    if (!fit)
        refuse(node,
               "it multiplies " + operands[0]->value().text() + " and " + operands[1]->value().text() + ", which are no matrices that fit");
    // Matrices stand in height and width, one a channel.
    int matrices = 1;
    for (auto size = a.begin(); size != a.end() - 2; ++size) matrices *= static_cast<int>(*size);
    const auto asMatrices = [&](const Sizes& dims) {
        return Value{{matrices, static_cast<int>(dims[dims.size() - 2]), static_cast<int>(dims.back())}, 4};
    };
    operands[0]->reshape(node, asMatrices(a));
    operands[1]->reshape(node, asMatrices(b));
    a.back() = b.back();
    requireUnits(node, productOf(a));
    Joined join;
    join.op = MatMul{};
    join.out = asMatrices(a);
    join.behind = [=, &node](LayerChain& chain) { chain.reshape(node, tensorOf(a)); };
    return join;
}

/// Einsum as a MatMul: of each operand the letters that both and the output have as matrices, then rows, then columns.
Joined einsum(const Node& node, const Chains& operands) {
    const std::array<std::string, 3> letters = einsumLetters(node);
    const auto in = [&](char letter, std::size_t k) { return letters[k].find(letter) != std::string::npos; };
    bringInOrder(node, operands);
    std::array<std::string, 4> kinds;  // both and the output; the first alone; both, summed over; the second alone
    for (const char c : letters[0] + letters[1]) {
        const std::size_t kind = in(c, 0) && in(c, 1) ? (in(c, 2) ? 0 : 2) : in(c, 0) ? 1 : 3;
        if (kind % 2 == 1 && !in(c, 2)) refuse(node, "it sums over an axis of one operand alone, which is not supported");
        if (kinds[kind].find(c) == std::string::npos) kinds[kind] += c;
    }
    std::map<char, std::int64_t> sizes;
    for (std::size_t k = 0; k < 2; ++k) {
        const Sizes dims = operands[k]->value().tensor();
        bool fits = dims.size() == letters[k].size();
        for (std::size_t d = 0; fits && d < dims.size(); ++d) fits = sizes.emplace(letters[k][d], dims[d]).first->second == dims[d];
        if (!fits) refuse(node, "its equation does not fit " + operands[k]->value().text());
    }
    const auto count = [&](const std::string& axes) {
        int product = 1;
        for (const char c : axes) product *= static_cast<int>(sizes.at(c));
        return product;
    };
    const auto places = [&](const std::string& from, const std::string& to) {
        Sizes dims;
        std::vector<std::size_t> order;
        for (const char c : from) dims.push_back(sizes.at(c));
        for (const char c : to) order.push_back(from.find(c));
        return transposedPlaces(dims, order);
    };
    const auto matrices = [&](const std::string& rows, const std::string& columns) {
        return Value{{count(kinds[0]), count(rows), count(columns)}, 4};
    };
    requireUnits(node, static_cast<double>(count(kinds[0] + kinds[1])) * count(kinds[3]));
    operands[0]->move(node, matrices(kinds[1], kinds[2]), places(letters[0], kinds[0] + kinds[1] + kinds[2]));
    operands[1]->move(node, matrices(kinds[2], kinds[3]), places(letters[1], kinds[0] + kinds[2] + kinds[3]));
    Joined join;
    join.op = MatMul{};
    join.out = matrices(kinds[1], kinds[3]);
    Sizes dims;
    for (const char c : letters[2]) dims.push_back(sizes.at(c));
    if (dims.empty()) refuse(node, "it leaves one number without an axis");
    const std::vector<int> from = places(kinds[0] + kinds[1] + kinds[3], letters[2]);
    join.behind = [=, &node](LayerChain& chain) { chain.move(node, tensorOf(dims), from); };
    return join;
}

/// The largest of several units as a pooling over them; the smallest is the negative of the negatives' largest.
Joined extreme(const Node& node, const Chains& operands) {
    broadcast(node, operands);
    bringInOrder(node, operands);
    const Value value = operands[0]->value();
    const auto units = static_cast<int>(value.shape.units()), count = static_cast<int>(operands.size());
    requireUnits(node, static_cast<double>(units) * count);
    const bool least = node.type == "Min";
    std::vector<int> from;
    for (int i = 0; i < units; ++i)
        for (int k = 0; k < count; ++k) from.push_back(k * units + i);
    for (LayerChain* x : operands) {
        if (least) addScale(node, *x, {-1}, {0});
        x->reshape(node, valueOf({units}));
    }
    Joined join;
    join.op = Concat{};
    join.out = valueOf({static_cast<std::int64_t>(units) * count});
    join.behind = [=, &node](LayerChain& chain) {
        chain.move(node, valueOf({units, count}), from);
        readGlobalMaxPool(node, chain);
        chain.reshape(node, value);
        if (least) addScale(node, chain, {-1}, {0});
    };
    return join;
}

}  // namespace

void readConcat(const Node& node, LayerChain& chain) {
    if (node.inputs.size() == 1) return;
    strewn(node, {&chain}).behind(chain);
}

// max(x, c) = c + max(x − c, 0), min(x, c) = c − max(c − x, 0).
void readExtreme(const Node& node, LayerChain& chain) {
    if (node.inputs.size() == 1) return;
    if (node.inputs.size() > 2) refuse(node, "it joins a computed value and several constants, which is not supported");
    const std::size_t place = chain.source().constants.find(node.inputs[0]) ? 0 : 1;
    const std::vector<double> constant = chain.broadcast(node, chain.requiredConstant(node, place));
    std::vector<double> negative = constant;
    for (double& c : negative) c = -c;
    const bool least = node.type == "Min";
    addScale(node, chain, {least ? -1.0 : 1.0}, least ? constant : negative);
    addActivation(node, chain, Activation::Relu);
    addScale(node, chain, {least ? -1.0 : 1.0}, constant);
}

bool mayJoin(const Node& node) {
    return isOneOf(node.type, {"Add", "Sum", "Sub", "Mul", "Div", "Concat", "MatMul", "Einsum", "Max", "Min"});
}

Joined joined(const Node& node, const Chains& operands) {
    if (!mayJoin(node))
        refuse(node, "operator " + std::string(node.type) + " joins " + std::to_string(operands.size()) +
                         " computed values; Add, Sum, Sub, Mul, Div, Concat, MatMul, Einsum, Max and Min may");
    if (node.type == "Concat") return concatenated(node, operands);
    if (operands.size() != node.inputs.size())
        refuse(node, "operator " + std::string(node.type) + " joins computed values and constants at once, which is not supported");
    if (node.type == "MatMul") return product(node, operands);
    if (node.type == "Einsum") return einsum(node, operands);
    if (node.type == "Max" || node.type == "Min") return extreme(node, operands);
    if (node.type == "Div") addActivation(node, *operands[1], Activation::Reciprocal);
    broadcast(node, operands);
    Joined join;
    join.op = isOneOf(node.type, {"Mul", "Div"}) ? Layer::Operation(Product{}) : Sum{};
    join.out = operands[0]->value();
    return join;
}

}  // namespace kappaflow::onnx
