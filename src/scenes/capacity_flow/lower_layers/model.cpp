#include "scenes/capacity_flow/lower_layers/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "core/base/rng.h"
#include "core/capacity/lower_layers.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace lower {
namespace {

using Vector = std::vector<double>;

constexpr Activation kCompared[] = {Activation::Identity, Activation::LeakyRelu, Activation::Relu,   Activation::Abs,
                                    Activation::Tanh,     Activation::HardTanh,  Activation::Sigmoid};

/// Dilations 1, taps, taps², …: every path from the output meets an input of its own.
std::vector<int> treeDilations(const Setup& setup) {
    std::vector<int> dilations{1};
    while (dilations.size() < setup.layers()) dilations.push_back(dilations.back() * setup.taps);
    return dilations;
}

/// Σ r_{l−1} t r_l − Σ r_l² over the bonds, r_l = min(c_l, t r_{l−1}, t r_{l+1}).
double tensorTrainDimension(const Setup& setup) {
    std::vector<double> rank(setup.widths.begin(), setup.widths.end());
    const std::size_t last = rank.size() - 1;
    for (std::size_t l = 1; l < last; ++l) rank[l] = std::min(rank[l], setup.taps * rank[l - 1]);
    for (std::size_t l = last; l-- > 1;) rank[l] = std::min(rank[l], setup.taps * rank[l + 1]);
    double dimension = 0;
    for (std::size_t l = 1; l <= last; ++l) dimension += setup.taps * rank[l - 1] * rank[l] - (l < last ? rank[l] * rank[l] : 0);
    return dimension;
}

double linearDimension(const Setup& setup) {
    if (setup.convolution) return tensorTrainDimension(setup);
    const double narrowest = *std::min_element(setup.widths.begin(), setup.widths.end());
    return narrowest * (setup.widths.front() + setup.widths.back() - narrowest);
}

}  // namespace

double Setup::parameters() const {
    double count = 0;
    for (std::size_t l = 1; l < widths.size(); ++l) count += static_cast<double>(widths[l - 1]) * widths[l] * (convolution ? taps : 1);
    return count;
}

double Setup::hiddenUnits() const {
    double count = 0;
    for (std::size_t l = 1; l + 1 < widths.size(); ++l) count += widths[l];
    return count;
}

double Setup::paths() const {
    double count = convolution ? std::pow(taps, static_cast<double>(layers())) : 1;
    for (const int width : widths) count *= width;
    return count;
}

bool Setup::isLinear(Activation activation) const {
    return activation == Activation::Identity || (activation == Activation::LeakyRelu && slope == 1);
}

Setup readSetup(const Values& v) {
    Setup setup;
    for (const double width : v.list("architecture")) setup.widths.push_back(static_cast<int>(width));
    setup.convolution = v.is("layer", "convolution");
    setup.taps = v.integer("taps");
    setup.slope = v.number("slope");
    setup.deviation = v.number("inputDeviation");
    setup.inputs = static_cast<std::size_t>(v.number("inputsTried"));
    setup.seed = v.seed();
    if (setup.convolution && (setup.widths.front() != 1 || setup.widths.back() != 1)) {
        setup.widths.front() = setup.widths.back() = 1;
        setup.warnings.emplace_back("The tree reads one signal and gives one number, so the first and the last width count as 1.");
    }
    for (const Activation activation : kCompared)
        if (v.is("activation", "all") || v.text("activation") == activationKey(activation)) setup.activations.push_back(activation);
    return setup;
}

Network networkOf(const Setup& setup, Activation activation) {
    if (!setup.convolution) return smallDenseNetwork(setup.widths, activation, setup.slope, setup.seed);
    const std::vector<int> taps(setup.layers(), setup.taps), channels(setup.widths.begin() + 1, setup.widths.end() - 1);
    return smallConvNetwork(taps, treeDilations(setup), channels, activation, setup.slope, setup.seed);
}

double predictedRank(const Setup& setup, Activation activation) {
    if (setup.isLinear(activation)) return linearDimension(setup);
    return setup.parameters() - (derivativeIsEta(activation) ? setup.hiddenUnits() : 0);
}

namespace {

std::vector<Vector> lineOfInputs(std::size_t units, double deviation, std::uint64_t seed) {
    Rng rng(seed, Purpose::Data);
    Vector from(units), along(units);
    for (double& x : from) x = deviation * rng.gaussian();
    for (double& x : along) x = deviation * rng.gaussian();
    std::vector<Vector> inputs(kPlaces, from);
    for (std::size_t t = 0; t < kPlaces; ++t)
        for (std::size_t i = 0; i < units; ++i) inputs[t][i] += along[i] * (6.0 * static_cast<double>(t) / (kPlaces - 1) - 3);
    return inputs;
}

/// Incoming weights times s, outgoing ones over s: the finite walk along a unit's scale direction, whose signs tell which are which.
Vector scaled(const Vector& weights, const Vector& direction, double s) {
    Vector moved = weights;
    for (std::size_t w = 0; w < weights.size(); ++w)
        if (direction[w] != 0) moved[w] = (direction[w] < 0) == (weights[w] > 0) ? weights[w] * s : weights[w] / s;
    return moved;
}

/// The linear piece an argument lies on: 0 or 1 for kinks at zero, 0, 1, 2 for the hard tanh.
int pieceOf(Activation activation, double z) {
    if (activation == Activation::HardTanh) return z <= -1 ? 0 : z < 1 ? 1 : 2;
    return activation == Activation::Identity || z <= 0 ? 0 : 1;
}

}  // namespace

std::vector<double> scaleFactors() {
    const double root = std::sqrt(2.0);
    return {0.25, 0.5 / root, 0.5, 1 / root, 1, root, 2, 2 * root, 4};
}

std::vector<ScaledUnit> scaleUnits(const Network& network, double deviation, std::uint64_t seed) {
    const auto inputs = lineOfInputs(network.input.units(), deviation, seed);
    const auto factors = scaleFactors();
    const Vector weights = allWeights(network);
    std::vector<Vector> original;
    double largest = 0;
    for (const auto& input : inputs) {
        original.push_back(forward(network, input).back());
        for (const double y : original.back()) largest = std::max(largest, std::abs(y));
    }
    Network moved = network;
    std::vector<ScaledUnit> units;
    for (const auto& hidden : scaleDirections(network)) {
        ScaledUnit unit;
        double change = 0;
        for (const double s : factors) {
            setAllWeights(moved, scaled(weights, hidden.direction, s));
            for (std::size_t t = 0; t < inputs.size(); ++t) {
                const Vector y = forward(moved, inputs[t]).back();
                unit.output.push_back(y[0]);
                for (std::size_t o = 0; o < y.size(); ++o) change = std::max(change, std::abs(y[o] - original[t][o]));
            }
        }
        unit.change = largest > 0 ? change / largest : 0;
        units.push_back(std::move(unit));
    }
    return units;
}

double sectorsMet(const Network& network, std::size_t inputs, double deviation, std::uint64_t seed) {
    Rng rng(seed, Purpose::Inputs);
    std::set<std::vector<char>> patterns;
    for (std::size_t n = 0; n < inputs; ++n) {
        Vector input(network.input.units());
        for (double& x : input) x = deviation * rng.gaussian();
        const auto states = forward(network, input);
        std::vector<char> pattern;
        for (std::size_t l = 0; l < network.layers.size(); ++l) {
            const Layer& layer = network.layers[l];
            if (layer.kind != LayerKind::Activation) continue;
            if (layer.activation == Activation::Tanh || layer.activation == Activation::Sigmoid)
                return std::numeric_limits<double>::quiet_NaN();
            for (const double z : states[l]) pattern.push_back(static_cast<char>(pieceOf(layer.activation, z)));
        }
        patterns.insert(std::move(pattern));
    }
    return static_cast<double>(patterns.size());
}

double onePieceUnits(const Network& network, std::size_t inputs, double deviation, std::uint64_t seed) {
    Rng rng(seed, Purpose::Inputs);
    std::vector<std::vector<unsigned>> met(network.layers.size());  // a bit for each piece, by hidden layer and channel
    const auto stuck = [&] {
        double count = 0;
        for (const auto& layer : met)
            for (const unsigned pieces : layer) count += (pieces & (pieces - 1)) == 0 ? 1 : 0;
        return count;
    };
    for (std::size_t n = 0; n < inputs && (n == 0 || stuck() > 0); ++n) {
        Vector input(network.input.units());
        for (double& x : input) x = deviation * rng.gaussian();
        const auto states = forward(network, input);
        for (std::size_t l = 0; l < network.layers.size(); ++l) {
            const Layer& layer = network.layers[l];
            if (layer.kind != LayerKind::Activation) continue;
            if (layer.activation == Activation::Tanh || layer.activation == Activation::Sigmoid)
                return std::numeric_limits<double>::quiet_NaN();
            const bool shared = network.layers[l - 1].kind == LayerKind::Conv;
            const std::size_t channels = shared ? static_cast<std::size_t>(layer.in.channels) : layer.in.units();
            met[l].resize(channels);
            for (std::size_t i = 0; i < states[l].size(); ++i)
                met[l][i * channels / states[l].size()] |= 1u << pieceOf(layer.activation, states[l][i]);
        }
        if (network.layers.size() > 1 && network.layers[1].activation == Activation::Identity) break;
    }
    return stuck();
}

namespace {

/// Looks cost a singular value decomposition each, 50·parameters³ operations.
double looksWhileGrowing(double parameters) { return parameters <= 40 ? 40 : parameters <= 100 ? 12 : 5; }

}  // namespace

SampledNetwork::SampledNetwork(const Setup& setup, Activation a)
    : activation(a), network(networkOf(setup, a)), jacobian(network, setup.deviation, setup.seed) {}

void SampledNetwork::sampleTo(std::size_t inputs, bool look) {
    jacobian.add(inputs - static_cast<std::size_t>(jacobian.samples()));
    if (!look) return;
    singularValues = jacobian.singularValues();
    rankAt.push_back(numericalRank(singularValues).rank);
    const double largest = singularValues.empty() ? 0 : singularValues.front();
    for (double& value : singularValues) value = largest > 0 ? value / largest : 0;
}

std::vector<Stop> stopsOf(const Setup& setup) {
    const double parameters = setup.parameters(), rows = setup.widths.back();
    const auto growing = std::min(static_cast<std::size_t>(std::ceil(1.6 * parameters / rows)) + 1, setup.inputs);
    const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(static_cast<double>(growing) / looksWhileGrowing(parameters))));
    const auto slice = static_cast<std::size_t>(std::clamp(3e6 / (parameters * parameters * rows), 1.0, 500.0));
    std::vector<Stop> stops;
    for (std::size_t n = 1; n < growing; n += step) stops.push_back({n, true});
    for (std::size_t n = growing; n < setup.inputs; n += slice) stops.push_back({n, n == growing});
    stops.push_back({setup.inputs, true});
    return stops;
}

namespace {

/// First the paths, then a network an activation, then their samples side by side, so that all of them grow on screen.
class LowerLayersComputation final : public Computation {
public:
    explicit LowerLayersComputation(const Request& request)
        : setup_(readSetup(request.params)), stops_(stopsOf(setup_)), withNetwork_(request.withNetwork) {}

    bool step() override {
        ++done_;
        if (!paths_)
            paths_ = pathRanks(setup_);
        else if (runs_.size() < setup_.activations.size())
            addRun();
        else
            sample();
        return done_ < steps();
    }
    double progress() const override { return static_cast<double>(done_) / static_cast<double>(steps()); }
    Report report() const override {
        Report report = rounds_ > 0 ? reportOf({setup_, *paths_, runs_, stops_, rounds_, withNetwork_}) : Report{};
        report.status = done_ < steps() ? Status::Partial : Status::Ok;
        report.message = done_ < steps() ? "The Jacobians are still being sampled." : "";
        return report;
    }

    /// Of the first activation.
    std::shared_ptr<const Network> network() const override { return std::make_shared<Network>(runs_.front()->network); }

private:
    std::size_t steps() const { return 1 + setup_.activations.size() * (1 + stops_.size()); }
    void addRun() {
        auto run = std::make_unique<SampledNetwork>(setup_, setup_.activations[runs_.size()]);
        run->units = scaleUnits(run->network, setup_.deviation, setup_.seed);
        const std::size_t inputs = std::min<std::size_t>(setup_.inputs, kInputsForPieces);
        run->onePiece = onePieceUnits(run->network, inputs, setup_.deviation, setup_.seed);
        run->sectors = sectorsMet(run->network, inputs, setup_.deviation, setup_.seed);
        runs_.push_back(std::move(run));
    }
    void sample() {
        const Stop& stop = stops_[rounds_];
        runs_[next_]->sampleTo(stop.inputs, stop.look);
        if (++next_ < runs_.size()) return;
        next_ = 0;
        ++rounds_;
    }

    Setup setup_;
    std::vector<Stop> stops_;
    bool withNetwork_;
    std::optional<PathRanks> paths_;
    std::vector<std::unique_ptr<SampledNetwork>> runs_;
    std::size_t done_ = 0, rounds_ = 0, next_ = 0;
};

Cost costOf(const Request& request) {
    const Setup setup = readSetup(request.params);
    const double p = setup.parameters(), paths = setup.paths(), rows = setup.widths.back(),
                 networks = static_cast<double>(setup.activations.size());
    double looks = 0;
    for (const Stop& stop : stopsOf(setup)) looks += stop.look ? 1 : 0;
    const double inputs = static_cast<double>(setup.inputs), units = setup.hiddenUnits();
    // A forward pass through a tree visits every position of every layer: at most as many weight uses as there are paths.
    const double pass = 60 * (setup.convolution ? paths : p) + 500;
    const double elimination = 6 * paths * p * std::min(paths, p), decompositions = 50 * p * p * p * (1 + networks * looks);
    const double sampling = networks * (inputs * (3 * rows * p * p + (1 + rows) * pass) + (inputs + units * kFactors * kPlaces) * pass);
    return {1e6 + elimination + 2 * paths * p * p + decompositions + sampling,
            1e6 + paths * (p * 28 + 100) + networks * (p * p * 60 + units * kFactors * kPlaces * 32)};
}

/// More inputs than the default are what costs, or else the network.
std::string costliestOf(const Request& request) {
    Request fewer = request;
    fewer.params.set("inputsTried", 3000.0);
    const Cost cost = costOf(request), lowered = costOf(fewer);
    const bool inputs = cost.bytes <= kCostLimit.bytes && lowered.operations < 0.5 * cost.operations;
    return inputs ? "inputsTried" : "architecture";
}

std::unique_ptr<Computation> startLowerLayers(const Request& request) { return std::make_unique<LowerLayersComputation>(request); }

}  // namespace
}  // namespace lower

Model lower_layers_model() { return stepwise<lower::costOf, lower::costliestOf, lower::startLowerLayers>("lower-layers"); }

}  // namespace kappaflow
