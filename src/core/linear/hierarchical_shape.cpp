#include <algorithm>
#include <string>

#include "core/base/errors.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/tensor_train.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

std::string count(double value) { return std::to_string(static_cast<long long>(value)); }

void within(int value, int limit, const char* what, Size layer) {
    if (value >= 1 && value <= limit) return;
    throw InputError("Layer " + std::to_string(layer) + " has " + what + " " + std::to_string(value) + ": it must lie between 1 and " +
                     std::to_string(limit) + ".");
}

HierarchicalShape stack(std::vector<int> dilations, int taps, int channels, int components) {
    HierarchicalShape shape{std::vector<int>(dilations.size(), taps), std::move(dilations), {components}};
    for (Size l = 1; l < shape.layers(); ++l) shape.channels.push_back(channels);
    shape.channels.push_back(1);
    return shape;
}

// Small enough for whatever the arguments to be refused by checkShape, not by the memory.
int times(int repeats) { return std::clamp(repeats, 0, kMaxModelLayers + 1); }

/// Lags that sums of k·d_l reach, with multiplicity, as long as none is reached twice; empty otherwise.
std::vector<std::vector<int>> digitsByLag(const HierarchicalShape& shape) {
    const Size n = static_cast<Size>(receptiveField(shape));
    std::vector<std::vector<int>> digits(n);
    std::vector<Size> reached{0};
    for (Size l = 0; l < shape.layers(); ++l) {
        std::vector<Size> next;
        auto longer = digits;
        for (auto& d : longer) d.clear();
        for (int k = 0; k < shape.taps[l]; ++k)
            for (Size lag : reached) {
                const Size there = lag + static_cast<Size>(k) * static_cast<Size>(shape.dilations[l]);
                if (!longer[there].empty()) return {};
                longer[there] = digits[lag];
                longer[there].push_back(k);
                next.push_back(there);
            }
        digits = std::move(longer);
        reached = std::move(next);
    }
    return digits;
}

}  // namespace

HierarchicalShape dilatedTree(int layers, int taps, int channels, int components) {
    std::vector<int> dilations;
    double dilation = 1;
    for (int l = 0; l < std::min(layers, kMaxModelLayers + 1); ++l) {
        dilations.push_back(static_cast<int>(dilation));
        dilation = std::clamp(dilation * taps, 0.0, kMaxModelDilation + 1.0);
    }
    return stack(std::move(dilations), taps, channels, components);
}

HierarchicalShape tiledStack(const std::vector<int>& block, int repeats, int taps, int channels, int components) {
    std::vector<int> dilations;
    for (int r = 0; r < times(repeats); ++r) dilations.insert(dilations.end(), block.begin(), block.end());
    return stack(std::move(dilations), taps, channels, components);
}

HierarchicalShape repeatedStack(const std::vector<int>& block, int repeats, int taps, int channels, int components) {
    std::vector<int> dilations;
    for (int dilation : block) dilations.insert(dilations.end(), static_cast<Size>(times(repeats)), dilation);
    return stack(std::move(dilations), taps, channels, components);
}

double receptiveField(const HierarchicalShape& shape) {
    double n = 1;
    for (Size l = 0; l < std::min(shape.taps.size(), shape.dilations.size()); ++l)
        n += (static_cast<double>(shape.taps[l]) - 1) * shape.dilations[l];
    return n;
}

double parameterCount(const HierarchicalShape& shape) {
    double p = 0;
    for (Size l = 0; l < shape.taps.size() && l + 1 < shape.channels.size(); ++l)
        p += static_cast<double>(shape.channels[l]) * shape.taps[l] * shape.channels[l + 1];
    return p;
}

void checkShape(const HierarchicalShape& shape) {
    const Size layers = shape.layers();
    if (layers < 1 || layers > static_cast<Size>(kMaxModelLayers))
        throw InputError("A hierarchical model needs between 1 and " + std::to_string(kMaxModelLayers) + " layers, not " +
                         std::to_string(layers) + ".");
    if (shape.dilations.size() != layers)
        throw InputError("There are " + std::to_string(shape.dilations.size()) + " dilations for " + std::to_string(layers) +
                         " layers: each layer needs one.");
    if (shape.channels.size() != layers + 1)
        throw InputError("There are " + std::to_string(shape.channels.size()) + " numbers of channels for " + std::to_string(layers) +
                         " layers: the input and each layer need one.");
    within(shape.channels[0], kMaxModelChannels, "as number of components", 0);
    for (Size l = 0; l < layers; ++l) {
        within(shape.taps[l], kMaxModelTaps, "as number of taps", l + 1);
        within(shape.dilations[l], kMaxModelDilation, "the dilation", l + 1);
        within(shape.channels[l + 1], kMaxModelChannels, "as number of channels", l + 1);
    }
    if (shape.channels[layers] != 1)
        throw InputError("The last layer has " + std::to_string(shape.channels[layers]) + " channels, but the model predicts one number.");
    const double inputs = receptiveField(shape) * shape.channels[0], parameters = parameterCount(shape);
    if (inputs > kMaxModelInputs)
        throw InputError("These taps and dilations reach " + count(inputs) + " inputs: at most " + count(kMaxModelInputs) +
                         " can be analysed.");
    if (parameters > kMaxModelParameters)
        throw InputError("The model has " + count(parameters) + " weights: at most " + count(kMaxModelParameters) + " can be analysed.");
}

bool isTensorTrain(const HierarchicalShape& shape) {
    checkShape(shape);
    return !digitsByLag(shape).empty();
}

std::vector<Size> bondDimensions(const HierarchicalShape& shape) {
    checkShape(shape);
    std::vector<Size> r(shape.channels.begin(), shape.channels.end());
    for (Size l = 1; l <= shape.layers(); ++l) r[l] = std::min(r[l], r[l - 1] * static_cast<Size>(shape.taps[l - 1]));
    for (Size l = shape.layers() - 1; l > 0; --l) r[l] = std::min(r[l], r[l + 1] * static_cast<Size>(shape.taps[l]));
    return r;
}

Size tensorTrainDimension(const HierarchicalShape& shape) {
    const auto r = bondDimensions(shape);
    Size dimension = r[0] * static_cast<Size>(shape.taps[0]) * r[1];
    for (Size l = 1; l < shape.layers(); ++l) dimension += r[l] * static_cast<Size>(shape.taps[l]) * r[l + 1] - r[l] * r[l];
    return dimension;
}

std::vector<std::vector<int>> lagDigits(const HierarchicalShape& shape) {
    checkShape(shape);
    auto digits = digitsByLag(shape);
    if (digits.empty()) throw InputError("Some lag is reached through different taps, so lags have no digits.");
    return digits;
}

}  // namespace kappaflow
