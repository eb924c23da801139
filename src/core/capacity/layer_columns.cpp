#include <algorithm>
#include <cmath>

#include "core/capacity/capacity_network.h"
#include "core/net/layer_norm.h"

namespace kappaflow {
namespace {

using Entry = CapacityLayer::Entry;
using Vector = std::vector<double>;

CapacityLayer columnsOf(const std::vector<Layer>&, std::size_t inputs);

void checkEntries(double entries, const Layer& layer) {
    if (entries <= kMaxCapacityEntries) return;
    throw InputError((layer.name.empty() ? std::string("A layer") : "Layer \"" + layer.name + "\"") +
                     " has more than ten million connections, too many to follow its capacity.");
}

/// The entries of one column, at first with weights in place of shares. Columns are kept, or handed to a visitor and forgotten.
class ColumnBuilder {
public:
    explicit ColumnBuilder(const Layer& layer, const ColumnVisitor* visitor = nullptr) : visitor_(visitor) {
        D_.inputs = layer.in.units();
        D_.outputs = layer.out.units();
        D_.start.push_back(0);
    }
    /// Refuses more connections than can be kept.
    void expect(double entries, const Layer& layer) const {
        if (!visitor_) checkEntries(entries, layer);
    }
    void add(std::size_t input, double offset, double weight) {
        D_.entries.push_back({static_cast<std::uint32_t>(input), static_cast<float>(offset), weight});
    }
    /// Closes the column: weights become squared weights over their sum. Scaled by the largest so that no square overflows.
    void close(bool tapsMayMeet) {
        auto& entries = D_.entries;
        const auto first = entries.begin() + static_cast<std::ptrdiff_t>(D_.start.back());
        if (tapsMayMeet) entries.erase(joinMeeting(first, entries.end()), entries.end());
        entries.erase(std::remove_if(first, entries.end(), [](const Entry& e) { return e.share == 0; }), entries.end());
        double largest = 0, sum = 0;
        for (auto e = first; e != entries.end(); ++e) largest = std::max(largest, std::abs(e->share));
        for (auto e = first; e != entries.end(); ++e) sum += (e->share = (e->share / largest) * (e->share / largest));
        for (auto e = first; e != entries.end(); ++e) e->share /= sum;
        if (visitor_) {
            (*visitor_)(closed_++, entries, largest > 0 ? largest * std::sqrt(sum) : 0);
            return entries.clear();
        }
        D_.lost.push_back(largest > 0 ? 0 : 1);
        D_.start.push_back(entries.size());
    }
    void setScale(double scale) { D_.scale = scale; }
    CapacityLayer take() { return std::move(D_); }

private:
    /// Taps that meet on one input are one entry of P: their weights add before the square.
    static std::vector<Entry>::iterator joinMeeting(std::vector<Entry>::iterator first, std::vector<Entry>::iterator last) {
        std::stable_sort(first, last, [](const Entry& a, const Entry& b) { return a.input < b.input; });
        auto out = first;
        for (auto e = first; e != last; ++e) {
            if (out != first && std::prev(out)->input == e->input) {
                std::prev(out)->share += e->share;
            } else {
                *out++ = *e;
            }
        }
        return out;
    }

    CapacityLayer D_;
    const ColumnVisitor* visitor_;
    std::size_t closed_ = 0;
};

void addDense(const Layer& layer, ColumnBuilder& builder) {
    const std::size_t inputs = layer.in.units(), outputs = layer.out.units();
    builder.expect(static_cast<double>(inputs) * static_cast<double>(outputs), layer);
    for (std::size_t j = 0; j < outputs; ++j) {
        for (std::size_t i = 0; i < inputs; ++i) builder.add(i, 0, layer.weights[j * inputs + i]);
        builder.close(false);
    }
}

/// Cell that a padded coordinate reads, or −1 for none.
int cellAt(int x, int extent, Padding padding) {
    if (x >= 0 && x < extent) return x;
    if (padding == Padding::Zero) return -1;
    if (padding == Padding::Periodic) return (x % extent + extent) % extent;
    if (extent == 1) return 0;
    const int period = 2 * (extent - 1);
    const int folded = (x % period + period) % period;
    return folded < extent ? folded : period - folded;
}

/// The cells one output position reads: index in the plane, tap number, unwrapped displacement along the wider axis.
struct WindowCell {
    std::size_t cell, tap;
    double offset;
};

std::vector<WindowCell> windowCells(const Layer& layer, int oy, int ox) {
    const Window& w = layer.window;
    std::vector<WindowCell> cells;
    for (int ky = 0; ky < w.size[0]; ++ky) {
        const int y = cellAt(oy * w.stride[0] + ky * w.dilation[0] - w.before[0], layer.in.height, w.padding);
        for (int kx = 0; kx < w.size[1]; ++kx) {
            const int displacement = kx * w.dilation[1] - w.before[1];
            const int x = cellAt(ox * w.stride[1] + displacement, layer.in.width, w.padding);
            if (x < 0 || y < 0) continue;
            cells.push_back({static_cast<std::size_t>(y) * static_cast<std::size_t>(layer.in.width) + static_cast<std::size_t>(x),
                             static_cast<std::size_t>(ky * w.size[1] + kx), static_cast<double>(displacement)});
        }
    }
    return cells;
}

void addConv(const Layer& layer, ColumnBuilder& builder) {
    const std::size_t inPlane = static_cast<std::size_t>(layer.in.height) * static_cast<std::size_t>(layer.in.width);
    const std::size_t outPlane = static_cast<std::size_t>(layer.out.height) * static_cast<std::size_t>(layer.out.width);
    const std::size_t taps = static_cast<std::size_t>(layer.window.size[0]) * static_cast<std::size_t>(layer.window.size[1]);
    const auto outChannels = static_cast<std::size_t>(layer.out.channels), groups = static_cast<std::size_t>(layer.groups);
    const std::size_t perGroup = static_cast<std::size_t>(layer.in.channels) / groups, outPerGroup = outChannels / groups;
    builder.expect(static_cast<double>(layer.out.units()) * static_cast<double>(perGroup) * static_cast<double>(taps), layer);
    builder.setScale(layer.window.stride[1]);
    for (std::size_t out = 0; out < outChannels; ++out) {
        for (std::size_t position = 0; position < outPlane; ++position) {
            const auto cells =
                windowCells(layer, static_cast<int>(position) / layer.out.width, static_cast<int>(position) % layer.out.width);
            const std::size_t kernel = (layer.shared ? out : position * outChannels + out) * perGroup * taps;
            for (std::size_t in = 0; in < perGroup; ++in)
                for (const auto& c : cells)
                    builder.add((out / outPerGroup * perGroup + in) * inPlane + c.cell, c.offset,
                                layer.weights[kernel + in * taps + c.tap]);
            builder.close(layer.window.padding != Padding::Zero);
        }
    }
}

void addPool(const Layer& layer, ColumnBuilder& builder) {
    const std::size_t inPlane = static_cast<std::size_t>(layer.in.height) * static_cast<std::size_t>(layer.in.width);
    const std::size_t outPlane = static_cast<std::size_t>(layer.out.height) * static_cast<std::size_t>(layer.out.width);
    const double taps = static_cast<double>(layer.window.size[0]) * layer.window.size[1];
    builder.expect(static_cast<double>(layer.out.units()) * taps, layer);
    builder.setScale(layer.window.stride[1]);
    for (std::size_t unit = 0; unit < layer.out.units(); ++unit) {
        const int position = static_cast<int>(unit % outPlane);
        const auto cells = windowCells(layer, position / layer.out.width, position % layer.out.width);
        const double divisor = layer.countsPadding ? taps : static_cast<double>(cells.size());
        for (const auto& c : cells) builder.add(unit / outPlane * inPlane + c.cell, c.offset, 1 / divisor);
        builder.close(layer.window.padding != Padding::Zero);
    }
}

void addGlobalPool(const Layer& layer, ColumnBuilder& builder) {
    Layer pool = layer;
    pool.window = {};
    pool.window.size = {layer.in.height, layer.in.width};
    pool.out = {layer.in.channels, 1, 1};
    addPool(pool, builder);
}

void addIdentity(const Layer& layer, ColumnBuilder& builder) {
    for (std::size_t j = 0; j < layer.in.units(); ++j) {
        builder.add(j, 0, 1);
        builder.close(false);
    }
}

/// gamma / sqrt(variance + eps) of a unit of the batch norm's input.
double scaleOf(const Layer& norm, std::size_t unit) {
    const std::size_t plane = static_cast<std::size_t>(norm.in.height) * static_cast<std::size_t>(norm.in.width);
    const std::size_t c = norm.shared ? unit / plane : unit;
    return norm.weights[c] / std::sqrt(norm.variance[c] + norm.batchNormEpsilon);
}

void addNorm(const Layer& layer, ColumnBuilder& builder) {
    for (std::size_t j = 0; j < layer.in.units(); ++j) {
        builder.add(j, 0, scaleOf(layer, j));
        builder.close(false);
    }
}

/// diag(w) (1 − 11ᵀ/n), what a layer norm does but for a factor of each sample's own that all its units share.
void addLayerNorm(const Layer& layer, ColumnBuilder& builder) {
    const auto sets = normalisedSets(layer);
    const std::size_t n = sets.front().count;
    checkEntries(static_cast<double>(layer.in.units()) * static_cast<double>(n), layer);
    std::vector<std::size_t> setOf(layer.in.units());
    for (std::size_t s = 0; s < sets.size(); ++s)
        for (std::size_t k = 0; k < n; ++k) setOf[sets[s].first + k * sets[s].stride] = s;
    const std::size_t width = layer.in.channels * layer.in.height > 1 ? static_cast<std::size_t>(layer.in.width) : 1;
    for (std::size_t j = 0; j < setOf.size(); ++j) {
        const NormalisedSet& set = sets[setOf[j]];
        const double scale = layer.weights[scaleIndex(layer, j)], mean = 1 / static_cast<double>(n);
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t i = set.first + k * set.stride;
            builder.add(i, static_cast<double>(i % width) - static_cast<double>(j % width), scale * ((i == j ? 1 : 0) - mean));
        }
        builder.close(false);
    }
}

/// Adds the entries of column j of D times `part`, and what is lost on the way.
void addPart(CapacityLayer& sum, const CapacityLayer& D, std::size_t j, double part) {
    if (part == 0) return;
    for (std::size_t e = D.start[j]; e < D.start[j + 1]; ++e)
        sum.entries.push_back({D.entries[e].input, D.entries[e].offset, part * D.entries[e].share});
    sum.lost.back() += part * D.lost[j];
}

CapacityLayer residualColumns(const Layer& layer) {
    const CapacityLayer skip = columnsOf(layer.skip, layer.in.units()), branch = columnsOf(layer.branch, layer.in.units());
    const ResidualShares shares = residualShares(layer);
    CapacityLayer D{layer.in.units(), layer.out.units(), {0}, {}, {}, 1};
    for (std::size_t j = 0; j < D.outputs; ++j) {
        D.lost.push_back(shares.skip[j] + shares.branch[j] == 0 ? 1 : 0);
        addPart(D, skip, j, shares.skip[j]);
        addPart(D, branch, j, shares.branch[j]);
        D.start.push_back(D.entries.size());
    }
    return D;
}

void addColumns(const Layer& layer, ColumnBuilder& builder) {
    switch (layer.kind) {
        case LayerKind::Dense:
            return addDense(layer, builder);
        case LayerKind::Conv:
            return addConv(layer, builder);
        case LayerKind::MaxPool:
        case LayerKind::AveragePool:
            return addPool(layer, builder);
        case LayerKind::GlobalAveragePool:
            return addGlobalPool(layer, builder);
        case LayerKind::BatchNorm:
            return addNorm(layer, builder);
        case LayerKind::LayerNorm:
            return addLayerNorm(layer, builder);
        case LayerKind::Residual:
        case LayerKind::Activation:
        case LayerKind::Flatten:
            break;
    }
    addIdentity(layer, builder);
}

Vector normsOf(const std::vector<Layer>& sequence, std::size_t inputs);

/// Norm of every output unit's column; of a residual block's sum when inputs have unit variance.
Vector normsOf(const Layer& layer) {
    const std::size_t outputs = layer.out.units();
    // The largest of a window passes on as it is.
    if (layer.kind == LayerKind::MaxPool) return Vector(outputs, 1);
    Vector norms(outputs);
    if (layer.kind != LayerKind::Residual) {
        visitColumns(layer, [&](std::size_t unit, auto, double norm) { norms[unit] = norm; });
        return norms;
    }
    const Vector skip = normsOf(layer.skip, layer.in.units()), branch = normsOf(layer.branch, layer.in.units());
    for (std::size_t j = 0; j < outputs; ++j) norms[j] = std::hypot(layer.skipScale * skip[j], layer.branchScale * branch[j]);
    return norms;
}

/// That of the last map; a batch norm that could not be folded into weights scales the norm of what it follows.
Vector normsOf(const std::vector<Layer>& sequence, std::size_t inputs) {
    const auto layers = weightLayerParts(sequence);
    const auto isNorm = [&](std::size_t l) { return layers[l].layer->kind == LayerKind::BatchNorm; };
    Vector norms(inputs, 1);
    Layer scratch;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const bool last = l + 1 == layers.size() || isNorm(l + 1);
        if (!last) continue;
        auto own = normsOf(layers[l].folded(scratch));
        for (std::size_t j = 0; j < own.size() && isNorm(l) && l > 0; ++j) own[j] *= norms[j];
        norms = std::move(own);
    }
    return norms;
}

/// A sequence as one map; no weight layer in it: the identity.
CapacityLayer columnsOf(const std::vector<Layer>& sequence, std::size_t inputs) {
    const auto layers = weightLayerParts(sequence);
    Layer scratch;
    if (layers.empty()) {
        scratch.kind = LayerKind::Flatten;
        scratch.in = scratch.out = {1, 1, static_cast<int>(inputs)};
        return capacityLayer(scratch);
    }
    CapacityLayer D = capacityLayer(layers.front().folded(scratch));
    for (std::size_t l = 1; l < layers.size(); ++l) D = compose(D, capacityLayer(layers[l].folded(scratch)));
    return D;
}

}  // namespace

ResidualShares residualShares(const Layer& layer) {
    ResidualShares shares{normsOf(layer.skip, layer.in.units()), normsOf(layer.branch, layer.in.units())};
    for (std::size_t j = 0; j < shares.skip.size(); ++j) {
        const double s = std::abs(layer.skipScale) * shares.skip[j], b = std::abs(layer.branchScale) * shares.branch[j];
        const double largest = std::max(s, b), ss = (s / largest) * (s / largest), bb = (b / largest) * (b / largest);
        shares.skip[j] = largest > 0 ? ss / (ss + bb) : 0;
        shares.branch[j] = largest > 0 ? bb / (ss + bb) : 0;
    }
    return shares;
}

CapacityLayer capacityLayer(const Layer& layer) {
    if (layer.kind == LayerKind::Residual) return residualColumns(layer);
    ColumnBuilder builder(layer);
    addColumns(layer, builder);
    return builder.take();
}

void visitColumns(const Layer& layer, const ColumnVisitor& visitor) {
    ColumnBuilder builder(layer, &visitor);
    addColumns(layer, builder);
}

namespace {

bool carriesWeights(const Layer& layer) { return layer.kind == LayerKind::Dense || layer.kind == LayerKind::Conv; }

bool dropsOut(const Layer& layer) { return layer.kind == LayerKind::Activation || layer.kind == LayerKind::Flatten; }

/// A convolution's weights cannot carry a scale of its own for every position.
bool folds(const Layer& norm, const Layer& linear) { return carriesWeights(linear) && (linear.kind == LayerKind::Dense || norm.shared); }

/// weights[out][…] *= scale[out]: the batch norm stands right behind the linear map.
void foldBehind(const Layer& norm, Layer& linear) {
    if (linear.kind == LayerKind::Dense) {
        const std::size_t inputs = linear.in.units();
        for (std::size_t w = 0; w < linear.weights.size(); ++w) linear.weights[w] *= scaleOf(norm, w / inputs);
        return;
    }
    const std::size_t plane = linear.out.units() / static_cast<std::size_t>(linear.out.channels);
    const std::size_t row = static_cast<std::size_t>(linear.in.channels / linear.groups) * static_cast<std::size_t>(linear.window.size[0]) *
                            static_cast<std::size_t>(linear.window.size[1]);
    for (std::size_t w = 0; w < linear.weights.size(); ++w)
        linear.weights[w] *= scaleOf(norm, w / row % static_cast<std::size_t>(linear.out.channels) * plane);
}

/// weights[out][in] *= scale[in]: the batch norm stands in front.
void foldInFront(const Layer& norm, Layer& linear) {
    if (linear.kind == LayerKind::Dense) {
        const std::size_t inputs = linear.in.units();
        for (std::size_t w = 0; w < linear.weights.size(); ++w) linear.weights[w] *= scaleOf(norm, w % inputs);
        return;
    }
    const std::size_t plane = linear.in.units() / static_cast<std::size_t>(linear.in.channels);
    const std::size_t kernel = static_cast<std::size_t>(linear.window.size[0]) * static_cast<std::size_t>(linear.window.size[1]);
    const std::size_t perGroup = static_cast<std::size_t>(linear.in.channels / linear.groups);
    const std::size_t outPerGroup = static_cast<std::size_t>(linear.out.channels / linear.groups);
    for (std::size_t w = 0; w < linear.weights.size(); ++w) {
        const std::size_t in = w / kernel % perGroup, out = w / (kernel * perGroup) % static_cast<std::size_t>(linear.out.channels);
        linear.weights[w] *= scaleOf(norm, (out / outPerGroup * perGroup + in) * plane);
    }
}

/// Weight layers of a sequence, and for each the index just behind it and the activations that follow.
struct Joined {
    std::vector<WeightLayer> layers;
    std::vector<std::size_t> states;
};

class Joiner {
public:
    Joined join(const std::vector<Layer>& sequence) {
        joined_.states.push_back(0);
        for (std::size_t i = 0; i < sequence.size(); ++i) {
            take(sequence[i], i);
            // What precedes the first weight layer belongs to the input; a batch norm that waits belongs to the next layer.
            if (!waiting_ && !joined_.layers.empty()) joined_.states.back() = i + 1;
        }
        if (waiting_) addWaiting(sequence.size());
        return std::move(joined_);
    }

private:
    void take(const Layer& layer, std::size_t index) {
        if (layer.kind == LayerKind::BatchNorm) {
            takeNorm(layer, index);
        } else if (dropsOut(layer)) {
            behindLinear_ = false;
        } else {
            takeLinear(layer, index);
        }
    }
    void takeNorm(const Layer& norm, std::size_t index) {
        if (waiting_) addWaiting(index);
        if (behindLinear_ && folds(norm, *joined_.layers.back().layer)) {
            joined_.layers.back().behind.push_back(&norm);
        } else {
            waiting_ = &norm;
        }
    }
    void takeLinear(const Layer& layer, std::size_t index) {
        if (waiting_ && !folds(*waiting_, layer)) addWaiting(index);
        add(layer);
        if (waiting_) joined_.layers.back().inFront = waiting_;
        waiting_ = nullptr;
        behindLinear_ = carriesWeights(layer);
    }
    void addWaiting(std::size_t state) {
        add(*waiting_);
        joined_.states.back() = state;
        waiting_ = nullptr;
    }
    void add(const Layer& layer) {
        joined_.layers.push_back({&layer, nullptr, {}});
        joined_.states.push_back(joined_.states.back());
        behindLinear_ = false;
    }

    Joined joined_;
    const Layer* waiting_ = nullptr;  ///< a batch norm that found no linear map right before it
    bool behindLinear_ = false;       ///< nothing stands between the last weight layer and here
};

}  // namespace

const Layer& WeightLayer::folded(Layer& scratch) const {
    if (!inFront && behind.empty()) return *layer;
    scratch = *layer;
    if (inFront) foldInFront(*inFront, scratch);
    for (const Layer* norm : behind) foldBehind(*norm, scratch);
    return scratch;
}

std::vector<WeightLayer> weightLayerParts(const std::vector<Layer>& sequence) { return Joiner().join(sequence).layers; }

std::vector<std::size_t> weightLayerStates(const Network& network) { return Joiner().join(network.layers).states; }

}  // namespace kappaflow
