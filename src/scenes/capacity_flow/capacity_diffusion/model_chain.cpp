#include <algorithm>
#include <numeric>

#include "core/capacity/capacity_network.h"
#include "core/capacity/diffusion_theory.h"
#include "scenes/capacity_flow/capacity_diffusion/model.h"

namespace kappaflow::diffusion {
namespace {

using Size = std::size_t;

/// Rings, lines and grids, by their kernels.
class LocalChain final : public Chain {
public:
    explicit LocalChain(const Setup& setup) : n_(setup.drawn), activation_(setup.activation), slope_(setup.slope) {
        shape_.plane = setup.plane();
        for (int l = 0; l <= n_.layers; ++l) addState(l);
        shape_.scale.assign(shape_.units.size(), 1);
        for (int l = n_.layers; l > 0; --l)
            shape_.scale[static_cast<std::size_t>(l) - 1] = n_.strideOf(l) * shape_.scale[static_cast<std::size_t>(l)];
    }
    const ChainShape& shape() const override { return shape_; }
    Tracking tracking() const override {
        if (!n_.periodic()) return Tracking::Positions;
        return n_.alike() ? Tracking::Collapsed : Tracking::Units;
    }
    ChainState stepDown(int l, std::uint64_t draw, const ChainState& above, double& unattributed, const StepRecord& record) override {
        const auto K = capacityKernel(n_, l, layerWeights(n_, l, draw));
        *record.kernelShares = kernelShares(K);
        if (record.flow) addFlow(K, above.capacity, *record.flow);
        ChainState below;
        if (tracking() == Tracking::Units) {
            below.offsets = propagate(K, above.offsets, unattributed);
            below.capacity = below.offsets.mass;
            return below;
        }
        below.capacity = propagate(K, above.capacity, unattributed);
        double again = 0;
        if (tracking() == Tracking::Collapsed) below.offsets = propagate(collapsed(K), above.offsets, again);
        return below;
    }
    std::shared_ptr<const Network> network(std::uint64_t draw) const override {
        return std::make_shared<Network>(runnableNetwork(n_, activation_, slope_, draw));
    }
    std::vector<std::size_t> states() const override { return runnableStates(n_); }

private:
    void addState(int l) {
        shape_.heights.push_back(n_.heightAt(l));
        shape_.widths.push_back(n_.widthAt(l));
        const std::size_t positions = shape_.positions(shape_.heights.size() - 1);
        shape_.units.push_back(positions * static_cast<std::size_t>(n_.channels));
        if (l == 0) return;
        const double taps = static_cast<double>(n_.tapsOf().size()), pairs = static_cast<double>(n_.channels) * n_.channels * taps;
        const double moments = tracking() == Tracking::Units ? (n_.space == Space::Grid ? 6 : 3) : 1;
        const double kernels = n_.alike() ? 1 : static_cast<double>(positions);
        const double drawing = (n_.kernel == KernelType::Random ? 60 : 20) * pairs * kernels + 200;
        shape_.work.push_back((2 * moments * pairs + 20 * moments * taps * n_.channels + 60) * static_cast<double>(positions) + drawing);
        if (shape_.plane) return;
        const double span = static_cast<double>(n_.taps - 1) * n_.dilationOf(l) + 1;
        shape_.geometry.push_back({n_.widthAt(l - 1), n_.widthAt(l), taps, span});
    }
    static void addFlow(const CapacityKernel& K, const std::vector<double>& above, FlowLayer& flow) {
        const auto moved = transfers(K, above);
        const std::size_t width = K.outPositions();
        for (std::size_t x = 0; x < width; ++x) {
            for (std::size_t k = 0; k < K.taps.size(); ++k)
                if (const int to = K.inputAt(x, k); to >= 0) flow.add(static_cast<int>(x), to, moved.byTap[k * width + x]);
            if (K.mixes) flow.add(static_cast<int>(x), static_cast<int>(x), moved.stayed[x]);
        }
    }

    DrawnNetwork n_;
    Activation activation_;
    double slope_;
    ChainShape shape_;
};

/// Anything that has columns: dense drawn networks and files. Positions mean nothing here, so no moments are kept.
class ColumnChain : public Chain {
public:
    const ChainShape& shape() const override { return shape_; }
    Tracking tracking() const override { return Tracking::None; }
    ChainState stepDown(int l, std::uint64_t draw, const ChainState& above, double& unattributed, const StepRecord& record) override {
        const auto D = columns(l, draw);
        for (std::size_t j = 0; j < D.outputs; ++j)
            for (std::size_t e = D.start[j]; e < D.start[j + 1]; ++e)
                record.flow->add(static_cast<int>(j), static_cast<int>(D.entries[e].input), D.entries[e].share * above.capacity[j]);
        if (record.shares) *record.shares = matrix(D);
        return {propagate(D, above.capacity, unattributed), {}};
    }

protected:
    virtual CapacityLayer columns(int l, std::uint64_t draw) const = 0;
    void addLayer(std::size_t inputs, std::size_t outputs) {
        const double size = static_cast<double>(inputs) * static_cast<double>(outputs);
        if (shape_.units.empty()) addState(inputs);
        addState(outputs);
        shape_.geometry.push_back(
            {static_cast<int>(inputs), static_cast<int>(outputs), static_cast<double>(inputs), static_cast<double>(inputs)});
        shape_.work.push_back(100 * size + 200);
    }

private:
    void addState(std::size_t units) {
        shape_.units.push_back(units);
        shape_.heights.push_back(1);
        shape_.widths.push_back(static_cast<int>(units));
        shape_.scale.push_back(0);
    }
    static std::vector<double> matrix(const CapacityLayer& D) {
        std::vector<double> values(D.inputs * D.outputs);
        for (std::size_t j = 0; j < D.outputs; ++j)
            for (std::size_t e = D.start[j]; e < D.start[j + 1]; ++e) values[D.entries[e].input * D.outputs + j] += D.entries[e].share;
        return values;
    }
    ChainShape shape_;
};

class DenseChain final : public ColumnChain {
public:
    explicit DenseChain(const Setup& setup) : n_(setup.drawn), activation_(setup.activation), slope_(setup.slope) {
        for (int l = 1; l <= n_.layers; ++l) addLayer(static_cast<std::size_t>(n_.extent), static_cast<std::size_t>(n_.extent));
    }
    std::shared_ptr<const Network> network(std::uint64_t draw) const override {
        return std::make_shared<Network>(runnableNetwork(n_, activation_, slope_, draw));
    }
    std::vector<std::size_t> states() const override { return runnableStates(n_); }

private:
    CapacityLayer columns(int l, std::uint64_t draw) const override { return denseCapacityLayer(n_, layerWeights(n_, l, draw)); }
    DrawnNetwork n_;
    Activation activation_;
    double slope_;
};

/// The weight layers of a file, which are not copied: its weights may be most of the memory there is.
std::vector<WeightLayer> layersOf(const Network& network) {
    auto layers = weightLayerParts(network.layers);
    if (layers.empty()) throw InputError("The network has no layer with weights, so there is nothing for capacity to flow through.");
    return layers;
}

/// A network that something else keeps alive.
std::shared_ptr<const Network> shared(const Network& network) { return {std::shared_ptr<void>(), &network}; }

class FileChain final : public ColumnChain {
public:
    explicit FileChain(const Network& network) : network_(network), layers_(layersOf(network)) {
        for (const auto& part : layers_) addLayer(part.layer->in.units(), part.layer->out.units());
    }
    ChainState stepDown(int l, std::uint64_t draw, const ChainState& above, double& unattributed, const StepRecord& record) override {
        Layer scratch;
        const Layer& layer = layers_[static_cast<std::size_t>(l) - 1].folded(scratch);
        if (record.shares || layer.kind == LayerKind::Residual) return ColumnChain::stepDown(l, draw, above, unattributed, record);
        visitColumns(layer, [&](std::size_t unit, std::span<const CapacityLayer::Entry> entries, double) {
            for (const auto& entry : entries)
                record.flow->add(static_cast<int>(unit), static_cast<int>(entry.input), entry.share * above.capacity[unit]);
        });
        return {propagate(layer, above.capacity, unattributed), {}};
    }
    std::shared_ptr<const Network> network(std::uint64_t) const override { return shared(network_); }
    std::vector<std::size_t> states() const override { return weightLayerStates(network_); }

private:
    CapacityLayer columns(int l, std::uint64_t) const override {
        Layer scratch;
        return capacityLayer(layers_[static_cast<std::size_t>(l) - 1].folded(scratch));
    }
    const Network& network_;
    std::vector<WeightLayer> layers_;
};

/// A file whose states have rows and columns; layers without places (dense, global pooling) leave states of height 1.
class PlaneFileChain final : public Chain {
public:
    explicit PlaneFileChain(const Network& network) : network_(network), layers_(layersOf(network)) {
        shape_.plane = true;
        addState(network.input);
        for (const auto& part : layers_) {
            addState(part.layer->out);
            shape_.work.push_back(50 * propagationWork(*part.layer) + 200);
        }
        // Offsets count from the top as far down as every layer keeps places.
        shape_.scale.assign(layers_.size() + 1, 0);
        shape_.scale.back() = stride(*layers_.back().layer) > 0 ? 1 : 0;
        for (std::size_t l = layers_.size(); l > 0; --l) shape_.scale[l - 1] = shape_.scale[l] * stride(*layers_[l - 1].layer);
        shape_.inputScale.assign(1, 1);
        for (const auto& part : layers_) shape_.inputScale.push_back(shape_.inputScale.back() * stride(*part.layer));
    }
    const ChainShape& shape() const override { return shape_; }
    Tracking tracking() const override { return Tracking::Positions; }
    ChainState stepDown(int l, std::uint64_t, const ChainState& above, double& unattributed, const StepRecord&) override {
        Layer scratch;
        return {propagate(layers_[static_cast<std::size_t>(l) - 1].folded(scratch), above.capacity, unattributed), {}};
    }
    std::shared_ptr<const Network> network(std::uint64_t) const override { return shared(network_); }
    std::vector<std::size_t> states() const override { return weightLayerStates(network_); }

private:
    void addState(const Shape& shape) {
        shape_.heights.push_back(shape.height);
        shape_.widths.push_back(shape.width);
        shape_.units.push_back(shape.units());
    }
    /// Positions of the input for each of the output's, 0 for a layer without places.
    static double stride(const Layer& layer) {
        switch (layer.kind) {
            case LayerKind::Conv:
            case LayerKind::MaxPool:
            case LayerKind::AveragePool:
                return layer.window.stride[0] == layer.window.stride[1] ? layer.window.stride[1] : 0;
            case LayerKind::Residual: {
                double product = 1;
                for (const auto& inner : layer.branch) product *= stride(inner);
                return product;
            }
            case LayerKind::Dense:
            case LayerKind::GlobalAveragePool:
            case LayerKind::Flatten:
                return 0;
            case LayerKind::Activation:
            case LayerKind::BatchNorm:
                break;
        }
        return 1;
    }

    const Network& network_;
    std::vector<WeightLayer> layers_;
    ChainShape shape_;
};

}  // namespace

std::unique_ptr<Chain> makeChain(const Setup& setup) {
    if (setup.file && setup.plane()) return std::make_unique<PlaneFileChain>(*setup.file);
    if (setup.file) return std::make_unique<FileChain>(*setup.file);
    if (setup.drawn.space == Space::Dense) return std::make_unique<DenseChain>(setup);
    return std::make_unique<LocalChain>(setup);
}

std::vector<double> byPosition(const std::vector<double>& units, std::size_t positions) {
    std::vector<double> sums(positions);
    for (std::size_t i = 0; i < units.size(); ++i) sums[i % positions] += units[i];
    return sums;
}

Theory makeTheory(const Setup& setup, const Totals& totals) {
    const DrawnNetwork& n = setup.drawn;
    const auto taps = n.tapsOf();
    const std::size_t rows = totals.rows();
    Theory theory;
    theory.layers.resize(rows - 1);
    theory.scale.assign(rows, 1);
    theory.normal.resize(rows);
    for (std::size_t l = rows - 1; l > 0; --l) {
        auto shares = totals.kernelShares[l - 1];
        for (double& share : shares) share /= totals.capacity.count();
        const int layer = static_cast<int>(l);
        const auto step = kernelDiffusion(shares, taps, n.dilationOf(layer), n.mixes(), n.stay());
        const double stride = n.strideOf(layer), square = stride * stride, time = step.time;
        const PlaneNormal& above = theory.normal[l];
        theory.layers[l - 1] = step;
        theory.scale[l - 1] = stride * theory.scale[l];
        theory.normal[l - 1] = {stride * above.meanY + time * step.driftY, stride * above.meanX + time * step.drift,
                                square * above.varianceY + 2 * time * step.diffusionY, square * above.varianceX + 2 * time * step.diffusion,
                                square * above.covariance + 2 * time * step.diffusionYX};
        const double share = 1 / static_cast<double>(rows - 1);
        theory.drift += share * step.drift;
        theory.diffusion += share * step.diffusion;
        theory.driftY += share * step.driftY;
        theory.diffusionY += share * step.diffusionY;
    }
    return theory;
}

std::vector<double> gaussianRow(const Setup& setup, const Theory& theory, std::size_t l) {
    const DrawnNetwork& n = setup.drawn;
    const auto& normal = theory.normal[l];
    const int layer = static_cast<int>(l);
    if (!setup.plane())
        return diffused(setup.start.profile, theory.scale[l], normal.meanX, normal.varianceX, n.widthAt(layer), n.periodic());
    const PlaneProfile start{setup.start.height(), setup.start.width(), setup.start.profile};
    return diffusedPlane(start, theory.scale[l], normal, n.heightAt(layer), n.widthAt(layer), n.periodic()).values;
}

double gaussianWork(const Setup& setup, const Chain& chain) {
    const auto& shape = chain.shape();
    const auto& profile = setup.start.profile;
    const auto starting = static_cast<double>(std::count_if(profile.begin(), profile.end(), [](double p) { return p > 0; }));
    double work = 0;
    for (std::size_t l = 0; l < shape.widths.size(); ++l)
        work += shape.plane ? diffusedPlaneWork(shape.heights[l], shape.widths[l], setup.drawn.periodic(), setup.random())
                            : 2.0 * shape.widths[l] * (starting + 60);
    return work;
}

std::vector<double> sharesWithIdentity(const Setup& setup, const Theory& theory, std::vector<double> kernel, std::size_t weightLayer) {
    const double time = theory.layers[weightLayer].time, moving = std::accumulate(kernel.begin(), kernel.end(), 0.0);
    for (double& share : kernel) share *= time;
    if (setup.drawn.mixes()) kernel[kernel.size() / 2] += moving > 0 ? 1 - time : 1;
    return kernel;
}

namespace {

void add(OffsetMoments& m, Size at, double mass, double y, double x, bool plane) {
    m.mass[at] += mass;
    m.first[at] += mass * x;
    m.second[at] += mass * x * x;
    if (!plane) return;
    m.firstY[at] += mass * y;
    m.secondY[at] += mass * y * y;
    m.product[at] += mass * y * x;
}

}  // namespace

OffsetMoments topOffsets(const Start& start, Size channels, Tracking tracking, bool plane) {
    OffsetMoments m;
    if (tracking != Tracking::Collapsed && tracking != Tracking::Units) return m;
    const Size positions = start.profile.size(), width = start.offset.size();
    const bool byUnit = tracking == Tracking::Units;
    const Size n = byUnit ? channels * positions : channels;
    for (auto* moments : {&m.mass, &m.first, &m.second}) moments->resize(n);
    for (auto* moments : {&m.firstY, &m.secondY, &m.product}) moments->resize(plane ? n : 0);
    for (Size c = 0; c < channels; ++c)
        for (Size i = 0; i < positions; ++i)
            add(m, byUnit ? c * positions + i : c, start.profile[i] / static_cast<double>(channels), start.offsetY[i / width],
                start.offset[i % width], plane);
    return m;
}

LayerMoments momentsOf(const ChainShape& shape, Size l, const Start& start, Tracking tracking, const OffsetMoments& offsets,
                       const std::vector<double>& capacity) {
    const double total = tracking == Tracking::Positions ? sumOf(capacity) : sumOf(offsets.mass);
    if (!(total > 0)) return {};
    if (tracking != Tracking::Positions)
        return {sumOf(offsets.firstY) / total, sumOf(offsets.first) / total, sumOf(offsets.secondY) / total, sumOf(offsets.second) / total,
                sumOf(offsets.product) / total};
    LayerMoments m;
    const auto width = static_cast<Size>(shape.widths[l]);
    const double y0 = shape.scale[l] * start.originY, x0 = shape.scale[l] * start.origin;
    for (Size i = 0; i < capacity.size(); ++i) {
        const double y = static_cast<double>(i / width) - y0, x = static_cast<double>(i % width) - x0, share = capacity[i] / total;
        m.firstY += share * y;
        m.first += share * x;
        m.secondY += share * y * y;
        m.second += share * x * x;
        m.product += share * y * x;
    }
    return m;
}

}  // namespace kappaflow::diffusion
