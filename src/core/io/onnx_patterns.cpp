#include "core/io/onnx_patterns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/io/onnx_operators.h"
#include "core/io/stored_numbers.h"

namespace kappaflow::onnx {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};
/// Nodes of one written-out activation, at most: GELU with its tanh has nine.
constexpr std::size_t kMaxRegion = 16;
constexpr double kTolerance = 2e-6;

bool isPointwise(std::string_view type) {
    return isOneOf(type, {"Add", "Sub",  "Mul",        "Div", "Pow",  "Min",     "Max",      "Neg",  "Abs",         "Exp",
                          "Log", "Sqrt", "Reciprocal", "Erf", "Tanh", "Sigmoid", "Softplus", "Relu", "HardSigmoid", "Clip"});
}

/// What may stand in place of a region, and the node that does.
struct WrittenOut {
    Activation activation;
    std::string_view type, approximate;
};
constexpr WrittenOut kWrittenOut[] = {
    {Activation::Gelu, "Gelu", ""},       {Activation::GeluTanh, "Gelu", "tanh"},   {Activation::Silu, "Swish", ""},
    {Activation::Mish, "Mish", ""},       {Activation::HardSwish, "HardSwish", ""}, {Activation::Softplus, "Softplus", ""},
    {Activation::Sigmoid, "Sigmoid", ""}, {Activation::Tanh, "Tanh", ""},           {Activation::Relu, "Relu", ""},
    {Activation::Abs, "Abs", ""},
};

std::vector<double> testNumbers() {
    std::vector<double> numbers{-40, -20, -12, 12, 20, 40};
    for (int i = -32; i <= 32; ++i) numbers.push_back(i / 4.0 + 0.01);
    return numbers;
}

double resultOf(const Node& node, const std::vector<std::optional<double>>& in) {
    const std::string_view type = node.type;
    const double a = in[0].value_or(0);
    if (in.size() == 2 && in[1]) {
        const double b = *in[1];
        if (type == "Add") return a + b;
        if (type == "Sub") return a - b;
        if (type == "Mul") return a * b;
        if (type == "Div") return a / b;
        if (type == "Pow") return std::pow(a, b);
        if (type == "Min") return std::min(a, b);
        if (type == "Max") return std::max(a, b);
    }
    if (type == "Clip") {
        const double low = in.size() > 1 && in[1] ? *in[1] : numberAttribute(node, "min", -HUGE_VAL);
        const double high = in.size() > 2 && in[2] ? *in[2] : numberAttribute(node, "max", HUGE_VAL);
        return std::min(high, std::max(low, a));
    }
    if (type == "HardSigmoid")
        return std::min(1.0, std::max(0.0, numberAttribute(node, "alpha", 0.2) * a + numberAttribute(node, "beta", 0.5)));
    if (type == "Neg") return -a;
    if (type == "Abs") return std::abs(a);
    if (type == "Exp") return std::exp(a);
    if (type == "Log") return std::log(a);
    if (type == "Sqrt") return std::sqrt(a);
    if (type == "Reciprocal") return 1 / a;
    if (type == "Erf") return std::erf(a);
    if (type == "Tanh") return std::tanh(a);
    if (type == "Sigmoid") return 1 / (1 + std::exp(-a));
    if (type == "Softplus") return activate(Activation::Softplus, a, 0);
    if (type == "Relu") return std::max(0.0, a);
    return std::nan("");
}

class Simplifier {
public:
    Simplifier(const std::vector<const Node*>& order, const Constants& constants, std::string_view output);
    std::vector<Node> result();

private:
    using Region = std::set<std::size_t, std::greater<>>;

    std::size_t makerOf(std::string_view value) const;
    const Node* maker(std::string_view value, std::string_view type) const;
    std::optional<double> number(std::string_view value) const;
    bool takesNumbersOnly(const Node&) const;
    bool isReadable(const Node&) const;
    bool isReadOnce(std::string_view value) const;

    void tryActivation(std::size_t last);
    std::optional<WrittenOut> activationOf(const Region&, std::string_view root) const;
    double along(const Region&, std::string_view root, double z, std::string_view value) const;

    struct Norm {
        std::string_view input;
        std::vector<std::int64_t> axes;
        double epsilon = 0;
        Region region;
    };
    void tryNorm(std::size_t last);
    bool matchDeviation(std::string_view value, Norm&) const;
    bool matchSpread(std::string_view value, std::string_view deviation, Norm&) const;
    bool matchVariance(std::string_view value, std::string_view deviation, Norm&) const;
    std::optional<std::vector<std::int64_t>> meanAxes(const Node&, std::string_view of) const;
    /// Makes a constant operand of the value's only reader an input of the norm, when the reader is of that type.
    std::size_t absorb(std::size_t last, std::string_view type, std::size_t axes, Node& norm);

    void replace(std::size_t last, Node with, const Region&);

    const Constants& constants_;
    std::string_view output_;
    std::vector<Node> nodes_;
    std::vector<bool> gone_;
    std::map<std::string_view, std::size_t> makers_;
    std::map<std::string_view, std::vector<std::size_t>> readers_;
};

Simplifier::Simplifier(const std::vector<const Node*>& order, const Constants& constants, std::string_view output)
    : constants_(constants), output_(output) {
    for (const Node* node : order) {
        if (constants.makes(*node)) continue;
        makers_[node->outputs.front()] = nodes_.size();
        for (std::string_view input : named(node->inputs)) readers_[input].push_back(nodes_.size());
        nodes_.push_back(*node);
    }
    gone_.resize(nodes_.size());
}

std::size_t Simplifier::makerOf(std::string_view value) const {
    const auto found = makers_.find(value);
    return found == makers_.end() ? kNone : found->second;
}

const Node* Simplifier::maker(std::string_view value, std::string_view type) const {
    const std::size_t at = makerOf(value);
    return at != kNone && nodes_[at].type == type ? &nodes_[at] : nullptr;
}

/// A constant of one number, which broadcasts to whatever it meets.
std::optional<double> Simplifier::number(std::string_view value) const {
    const Tensor* tensor = constants_.find(value);
    if (!tensor || tensor->dims.size() > 2 || (tensor->type != kFloat && tensor->type != kDouble) || elementCount(*tensor) != 1) return {};
    return numbers(*tensor).front();
}

bool Simplifier::takesNumbersOnly(const Node& node) const {
    for (std::string_view input : named(node.inputs))
        if (constants_.find(input) && !number(input)) return false;
    return true;
}

/// Alone, as a layer or a sum of two.
bool Simplifier::isReadable(const Node& node) const {
    const std::size_t computed = constants_.computedInputs(node).size();
    if (computed > 1) return node.type == "Add" || node.type == "Sum";
    // As parts of an activation they are better read as that.
    if (isOneOf(node.type, {"Max", "Min", "Neg", "Pow", "Exp", "Log", "Sqrt", "Reciprocal", "Erf"})) return false;
    const auto& all = operators();
    return std::any_of(all.begin(), all.end(), [&](const Operator& op) { return op.type == node.type; });
}

bool Simplifier::isReadOnce(std::string_view value) const {
    const auto found = readers_.find(value);
    return value != output_ && found != readers_.end() && found->second.size() == 1;
}

/// From the last node on, the newest of the values that are read joins the region, until all that is read is one value.
void Simplifier::tryActivation(std::size_t last) {
    Region region;
    std::set<std::string_view> open;
    bool readable = true;
    const auto take = [&](std::size_t at) {
        region.insert(at);
        readable = readable && isReadable(nodes_[at]);
        for (std::string_view value : constants_.computedInputs(nodes_[at])) open.insert(value);
    };
    const auto fits = [&](std::size_t at) {
        return at != kNone && isPointwise(nodes_[at].type) && takesNumbersOnly(nodes_[at]) && nodes_[at].inputs.size() <= 3;
    };
    if (!fits(last)) return;
    take(last);
    while (!open.empty()) {
        if (open.size() == 1 && !readable)
            if (const auto known = activationOf(region, *open.begin())) {
                Node node;
                node.name = nodes_[last].name;
                node.type = known->type;
                node.inputs = {*open.begin()};
                node.outputs = {nodes_[last].outputs.front()};
                node.number = nodes_[last].number;
                if (!known->approximate.empty()) {
                    Attribute& approximate = node.attributes.emplace_back();
                    approximate.name = "approximate";
                    approximate.text = known->approximate;
                }
                return replace(last, std::move(node), region);
            }
        const auto newest = std::max_element(open.begin(), open.end(), [&](std::string_view a, std::string_view b) {
            return makerOf(a) + 1 < makerOf(b) + 1;  // the model's input has no maker and is the oldest
        });
        const std::size_t at = makerOf(*newest);
        if (!fits(at) || region.size() == kMaxRegion) return;
        open.erase(newest);
        take(at);
    }
}

double Simplifier::along(const Region& region, std::string_view root, double z, std::string_view value) const {
    std::map<std::string_view, double> values{{root, z}};
    for (auto at = region.rbegin(); at != region.rend(); ++at) {
        const Node& node = nodes_[*at];
        std::vector<std::optional<double>> in;
        for (std::string_view input : node.inputs) {
            const auto found = values.find(input);
            in.push_back(input.empty() ? std::nullopt : found == values.end() ? number(input) : std::optional(found->second));
        }
        values[node.outputs.front()] = resultOf(node, in);
    }
    return values[value];
}

std::optional<WrittenOut> Simplifier::activationOf(const Region& region, std::string_view root) const {
    static const std::vector<double> numbers = testNumbers();
    std::vector<bool> fits(std::size(kWrittenOut), true);
    const std::string_view value = nodes_[*region.begin()].outputs.front();
    for (const double z : numbers) {
        const double f = along(region, root, z, value);
        if (!std::isfinite(f) && std::abs(z) > 10) continue;  // e^z may overflow out there
        for (std::size_t k = 0; k < fits.size(); ++k) {
            if (!fits[k]) continue;
            const double g = activate(kWrittenOut[k].activation, z, 0);
            fits[k] = std::abs(f - g) <= kTolerance * (1 + std::abs(g));
        }
        if (std::none_of(fits.begin(), fits.end(), [](bool fit) { return fit; })) return {};
    }
    for (std::size_t k = 0; k < fits.size(); ++k)
        if (fits[k]) return kWrittenOut[k];
    return {};
}

/// Axes of a ReduceMean of the value, counted from the front and in order.
std::optional<std::vector<std::int64_t>> Simplifier::meanAxes(const Node& mean, std::string_view of) const {
    const auto* sizes = constants_.sizes(of);
    if (mean.inputs.front() != of || !sizes || !flagAttribute(mean, "keepdims", true)) return {};
    std::vector<std::int64_t> axes = integersAttribute(mean, "axes");
    if (mean.inputs.size() > 1) {
        const Tensor* list = constants_.find(mean.inputs[1]);
        if (!list) return {};
        axes = integers(*list);
    }
    const auto rank = static_cast<std::int64_t>(sizes->size());
    for (std::int64_t& axis : axes) axis += axis < 0 ? rank : 0;
    std::sort(axes.begin(), axes.end());
    if (axes.empty() || axes.front() < 1 || axes.back() >= rank) return {};
    return axes;
}

/// x − mean x.
bool Simplifier::matchDeviation(std::string_view value, Norm& norm) const {
    const Node* difference = maker(value, "Sub");
    if (!difference || difference->inputs.size() != 2) return false;
    const Node* mean = maker(difference->inputs[1], "ReduceMean");
    if (!mean) return false;
    const auto axes = meanAxes(*mean, difference->inputs[0]);
    if (!axes || (!norm.input.empty() && (norm.input != difference->inputs[0] || norm.axes != *axes))) return false;
    norm.input = difference->inputs[0];
    norm.axes = *axes;
    norm.region.insert({makerOf(value), makerOf(difference->inputs[1])});
    return true;
}

/// The mean square of that.
bool Simplifier::matchVariance(std::string_view value, std::string_view deviation, Norm& norm) const {
    const Node* mean = maker(value, "ReduceMean");
    if (!mean) return false;
    const std::string_view squares = mean->inputs.front();
    const auto axes = meanAxes(*mean, squares);
    const Node *power = maker(squares, "Pow"), *product = maker(squares, "Mul");
    std::string_view base;
    if (power && power->inputs.size() == 2 && number(power->inputs[1]) == 2.0) base = power->inputs[0];
    if (product && product->inputs.size() == 2 && product->inputs[0] == product->inputs[1]) base = product->inputs[0];
    if (base.empty() || !axes || *axes != norm.axes || (base != deviation && !matchDeviation(base, norm))) return false;
    norm.region.insert({makerOf(value), makerOf(squares)});
    return true;
}

/// √(variance + ε).
bool Simplifier::matchSpread(std::string_view value, std::string_view deviation, Norm& norm) const {
    const Node* root = maker(value, "Sqrt");
    const Node* sum = root ? maker(root->inputs.front(), "Add") : nullptr;
    if (!sum || sum->inputs.size() != 2) return false;
    for (const std::size_t i : {0, 1}) {
        const auto epsilon = number(sum->inputs[1 - i]);
        if (!epsilon || !matchVariance(sum->inputs[i], deviation, norm)) continue;
        norm.epsilon = *epsilon;
        norm.region.insert({makerOf(value), makerOf(root->inputs.front())});
        return true;
    }
    return false;
}

void Simplifier::tryNorm(std::size_t last) {
    const Node& node = nodes_[last];
    if (node.inputs.size() != 2 || !isOneOf(node.type, {"Div", "Mul"})) return;
    Norm norm;
    norm.region.insert(last);
    std::string_view deviation = node.inputs[0], spread = node.inputs[1];
    if (node.type == "Mul") {
        if (!maker(spread, "Reciprocal")) std::swap(deviation, spread);
        const Node* inverse = maker(spread, "Reciprocal");
        if (!inverse) return;
        norm.region.insert(makerOf(spread));
        spread = inverse->inputs.front();
    }
    if (!matchDeviation(deviation, norm) || !matchSpread(spread, deviation, norm)) return;
    Node with;
    with.name = node.name;
    with.type = "LayerNormalization";
    with.number = node.number;
    with.inputs = {norm.input};
    with.outputs = {node.outputs.front()};
    with.attributes = {listOf("axes", norm.axes), Attribute{}};
    with.attributes.back().name = "epsilon";
    with.attributes.back().number = static_cast<float>(norm.epsilon);
    std::size_t end = absorb(last, "Mul", norm.axes.size(), with);
    if (end != last) norm.region.insert(end);
    if (with.inputs.size() == 2) {
        const std::size_t shift = absorb(end, "Add", norm.axes.size(), with);
        if (shift != end) norm.region.insert(shift);
        end = shift;
    }
    replace(end, std::move(with), norm.region);
}

std::size_t Simplifier::absorb(std::size_t last, std::string_view type, std::size_t axes, Node& norm) {
    const std::string_view value = nodes_[last].outputs.front();
    if (!isReadOnce(value)) return last;
    const std::size_t reader = readers_.at(value).front();
    const Node& node = nodes_[reader];
    if (node.type != type || node.inputs.size() != 2) return last;
    const std::string_view operand = node.inputs[node.inputs[0] == value ? 1 : 0];
    const Tensor* constant = constants_.find(operand);
    if (!constant || (constant->dims.size() > axes && norm.attributes.front().integers.front() != 1)) return last;
    norm.inputs.push_back(operand);
    norm.outputs = {node.outputs.front()};
    norm.name = norm.name.empty() ? node.name : norm.name;
    return reader;
}

/// The node takes the place of the region's last; what nobody reads any more goes.
void Simplifier::replace(std::size_t last, Node with, const Region& region) {
    const auto forget = [&](std::size_t at) {
        for (std::string_view input : named(nodes_[at].inputs)) {
            auto& readers = readers_[input];
            readers.erase(std::remove(readers.begin(), readers.end(), at), readers.end());
        }
    };
    forget(last);
    nodes_[last] = std::move(with);
    for (std::string_view input : named(nodes_[last].inputs)) readers_[input].push_back(last);
    for (const std::size_t at : region) {
        const std::string_view value = nodes_[at].outputs.front();
        if (at == last || value == output_ || !readers_[value].empty()) continue;
        forget(at);
        gone_[at] = true;
        makers_.erase(value);
    }
}

std::vector<Node> Simplifier::result() {
    for (std::size_t at = nodes_.size(); at-- > 0;)
        if (!gone_[at]) tryNorm(at);
    for (std::size_t at = nodes_.size(); at-- > 0;)
        if (!gone_[at]) tryActivation(at);
    std::vector<Node> left;
    for (std::size_t at = 0; at < nodes_.size(); ++at)
        if (!gone_[at]) left.push_back(std::move(nodes_[at]));
    return left;
}

}  // namespace

std::vector<Node> simplified(const std::vector<const Node*>& order, const Constants& constants, std::string_view output) {
    return Simplifier(order, constants, output).result();
}

}  // namespace kappaflow::onnx
