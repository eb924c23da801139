#include "scenes/capacity_diffusion/model_chain.h"

namespace kappaflow::diffusion {
namespace {

/// Rings and lines, by their kernels.
class LocalChain final : public Chain {
public:
    explicit LocalChain(const Setup& setup) : n_(setup.drawn), activation_(setup.activation), slope_(setup.slope) {
        const double pairs = static_cast<double>(n_.channels) * n_.channels * n_.taps;
        for (int l = 0; l <= n_.layers; ++l) {
            shape_.widths.push_back(n_.widthAt(l));
            shape_.units.push_back(static_cast<std::size_t>(n_.widthAt(l)) * static_cast<std::size_t>(n_.channels));
            if (l == 0) continue;
            const double span = static_cast<double>(n_.taps - 1) * n_.dilationOf(l) + 1;
            shape_.geometry.push_back({n_.widthAt(l - 1), n_.widthAt(l), static_cast<double>(n_.taps), span});
            shape_.work.push_back((6 * pairs + 30.0 * n_.taps + 60) * n_.widthAt(l) + drawing(pairs, l));
        }
    }
    const ChainShape& shape() const override { return shape_; }
    OffsetMoments stepDown(int l, std::uint64_t draw, const OffsetMoments& above, double& unattributed, const StepRecord& record) override {
        const auto K = capacityKernel(n_, l, layerWeights(n_, l, draw));
        KernelTransfers transfers;
        auto below = propagate(K, above, unattributed, &transfers);
        *record.kernelShares = kernelShares(K);
        const auto width = static_cast<std::size_t>(K.outWidth);
        for (int x = 0; x < K.outWidth; ++x) {
            const auto at = static_cast<std::size_t>(x);
            for (int k = 0; k < K.taps; ++k) {
                const int to = K.inputAt(x, k);
                if (to >= 0) record.flow->add(x, to, transfers.byTap[static_cast<std::size_t>(k) * width + at]);
            }
            if (K.mixes) record.flow->add(x, x, transfers.stayed[at]);
        }
        return below;
    }
    Network network(std::uint64_t draw) const override { return runnableNetwork(n_, activation_, slope_, draw); }
    std::vector<std::size_t> states() const override { return runnableStates(n_); }

private:
    double drawing(double pairs, int l) const {
        if (n_.kernel != KernelType::Random) return 20 * pairs + 200;
        return 60 * pairs * (n_.shared ? 1 : n_.widthAt(l)) + 200;
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
    OffsetMoments stepDown(int l, std::uint64_t draw, const OffsetMoments& above, double& unattributed, const StepRecord& record) override {
        const auto D = columns(l, draw);
        for (std::size_t j = 0; j < D.outputs; ++j)
            for (std::size_t e = D.start[j]; e < D.start[j + 1]; ++e)
                record.flow->add(static_cast<int>(j), static_cast<int>(D.entries[e].input), D.entries[e].share * above.mass[j]);
        if (record.shares) *record.shares = matrix(D);
        return {propagate(D, above.mass, unattributed), {}, {}};
    }

protected:
    virtual CapacityLayer columns(int l, std::uint64_t draw) const = 0;
    void addLayer(std::size_t inputs, std::size_t outputs) {
        const double size = static_cast<double>(inputs) * static_cast<double>(outputs);
        if (shape_.units.empty()) {
            shape_.units.push_back(inputs);
            shape_.widths.push_back(static_cast<int>(inputs));
        }
        shape_.units.push_back(outputs);
        shape_.widths.push_back(static_cast<int>(outputs));
        shape_.geometry.push_back(
            {static_cast<int>(inputs), static_cast<int>(outputs), static_cast<double>(inputs), static_cast<double>(inputs)});
        shape_.work.push_back(100 * size + 200);
    }

private:
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
    Network network(std::uint64_t draw) const override { return runnableNetwork(n_, activation_, slope_, draw); }
    std::vector<std::size_t> states() const override { return runnableStates(n_); }

private:
    CapacityLayer columns(int l, std::uint64_t draw) const override { return denseCapacityLayer(n_, layerWeights(n_, l, draw)); }
    DrawnNetwork n_;
    Activation activation_;
    double slope_;
};

class FileChain final : public ColumnChain {
public:
    explicit FileChain(const Network& network) : network_(network), layers_(weightLayers(network)) {
        if (layers_.empty()) throw InputError("The network has no layer with weights, so there is nothing for capacity to flow through.");
        for (const auto& layer : layers_) addLayer(layer.in.units(), layer.out.units());
    }
    Network network(std::uint64_t) const override { return network_; }
    std::vector<std::size_t> states() const override { return weightLayerStates(network_); }

private:
    CapacityLayer columns(int l, std::uint64_t) const override { return capacityLayer(layers_[static_cast<std::size_t>(l) - 1]); }
    const Network& network_;
    std::vector<Layer> layers_;
};

}  // namespace

std::unique_ptr<Chain> makeChain(const Setup& setup) {
    if (setup.file) return std::make_unique<FileChain>(*setup.file);
    if (setup.drawn.space == Space::Dense) return std::make_unique<DenseChain>(setup);
    return std::make_unique<LocalChain>(setup);
}

std::vector<double> byPosition(const std::vector<double>& units, int width) {
    std::vector<double> sums(static_cast<std::size_t>(width));
    for (std::size_t i = 0; i < units.size(); ++i) sums[i % sums.size()] += units[i];
    return sums;
}

}  // namespace kappaflow::diffusion
