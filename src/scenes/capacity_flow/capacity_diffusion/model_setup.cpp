#include <algorithm>
#include <cmath>

#include "core/capacity/diffusion_theory.h"
#include "scenes/capacity_flow/capacity_diffusion/model.h"
#include "scenes/chosen_network.h"

namespace kappaflow::diffusion {
namespace {

using Warnings = std::vector<std::string>;

/// What a file brings itself and a reader set all the same.
void warnReplaced(const Values& values, Warnings& warnings) {
    const auto& declaration = *findDeclaration("capacity-diffusion");
    std::string replaced;
    for (const char* key :
         {"space", "layer", "kernel", "shared", "extent", "layers", "taps", "channels", "stride", "dilation", "filter", "edges", "draws"})
        if (values.at(key) != standardBeside(*declaration.param(key), values))
            replaced += (replaced.empty() ? "" : ", ") + std::string(key);
    if (!replaced.empty()) warnings.push_back("The network's own architecture replaces these settings: " + replaced + ".");
}

void warnIneffective(const Values& values, const DrawnNetwork& n, Warnings& warnings) {
    if (n.space != Space::Dense && n.mixes() && values.integer("stride") != 1)
        warnings.push_back("A residual or differential layer is as wide as its input: the stride was taken as 1.");
    if (n.type == LayerType::Residual && (n.space == Space::Dense ? n.extent : n.taps) == 1)
        warnings.push_back("A residual layer that reads nothing beside its centre moves nothing: its capacity stays where it is.");
    int widest = 0;
    for (int l = 1; l <= n.layers; ++l) widest = std::max(widest, (n.taps - 1) * n.dilationOf(l) + 1);
    if (n.periodic() && widest > n.extent)
        warnings.push_back("The window is wider than the " + std::string(n.space == Space::Ring ? "ring" : "torus") +
                           ": connections that meet on one unit count as separate paths.");
}

/// Stretched or shrunk to the units, each of them taking the mean of what is painted over it: a narrow peak loses no capacity.
std::vector<double> stretched(const std::vector<double>& painted, int width) {
    std::vector<double> profile(static_cast<std::size_t>(width));
    const double ratio = static_cast<double>(painted.size()) / width;
    for (std::size_t x = 0; x < profile.size() && !painted.empty(); ++x) {
        const double lo = static_cast<double>(x) * ratio, hi = static_cast<double>(x + 1) * ratio;
        double sum = 0;
        for (auto i = static_cast<std::size_t>(lo); i < painted.size() && static_cast<double>(i) < hi; ++i) {
            const double overlap = std::min(hi, static_cast<double>(i + 1)) - std::max(lo, static_cast<double>(i));
            sum += std::max(0.0, painted[i]) * std::max(0.0, overlap);
        }
        profile[x] = sum / ratio;
    }
    return profile;
}

void normalise(std::vector<double>& profile) {
    const double largest = *std::max_element(profile.begin(), profile.end());
    double sum = 0;
    for (double& p : profile) sum += p / largest;
    for (double& p : profile) p = p / largest / sum;
}

/// The chosen top unit, row · width + column.
int topUnit(const Values& values, int height, int width, Warnings& warnings) {
    const double wanted = values.number("topIndex");
    if (wanted < 0) return height / 2 * width + width / 2;
    const bool used = values.is("top", "dirac") || values.is("top", "block");
    const int units = height * width;
    if (wanted >= units && used)
        warnings.push_back("topIndex was lowered to " + std::to_string(units - 1) + ", the last of the " + std::to_string(units) +
                           " positions at the top.");
    return static_cast<int>(std::min(wanted, units - 1.0));
}

Start blockStart(int centre, int block, int width, bool ring) {
    Start start{std::vector<double>(static_cast<std::size_t>(width)), std::vector<double>(static_cast<std::size_t>(width))};
    start.origin = centre;
    // No further than once around a ring; a line cuts off what lies beyond its ends.
    const int reach = ring ? std::min(block, width) : block, first = centre - (reach - 1) / 2;
    for (int x = first; x < first + reach; ++x) {
        if (!ring && (x < 0 || x >= width)) continue;
        const auto at = static_cast<std::size_t>((x % width + width) % width);
        start.profile[at] = 1;
        start.offset[at] = x - centre;
    }
    normalise(start.profile);
    return start;
}

/// Counted from the profile's own mean.
Start freeStart(std::vector<double> profile) {
    normalise(profile);
    Start start{std::move(profile), {}};
    for (std::size_t x = 0; x < start.profile.size(); ++x) start.origin += static_cast<double>(x) * start.profile[x];
    for (std::size_t x = 0; x < start.profile.size(); ++x) start.offset.push_back(static_cast<double>(x) - start.origin);
    return start;
}

/// Along one axis.
Start axisStart(const Values& values, int centre, int width, bool ring, Warnings& warnings) {
    if (values.is("top", "uniform")) return freeStart(std::vector<double>(static_cast<std::size_t>(width), 1.0));
    if (values.is("top", "block")) return blockStart(centre, values.integer("blockWidth"), width, ring);
    if (values.is("top", "painted")) {
        auto profile = stretched(values.list("profile"), width);
        if (std::any_of(profile.begin(), profile.end(), [](double p) { return p > 0; })) return freeStart(std::move(profile));
        warnings.push_back("The painted start is empty: one unit was taken instead.");
    }
    return blockStart(centre, 1, width, ring);
}

/// Every start of a plane is the product of one along each axis: a unit, a square block, all units, the painted profile twice.
Start readStart(const Values& values, int height, int width, bool periodic, Warnings& warnings) {
    const int top = topUnit(values, height, width, warnings);
    Start start = axisStart(values, top % width, width, periodic, warnings);
    if (height == 1) return start;
    Warnings said;
    const Start rows = axisStart(values, top / width, height, periodic, said), columns = start;
    start.profile.clear();
    for (const double y : rows.profile)
        for (const double x : columns.profile) start.profile.push_back(y * x);
    start.offsetY = rows.offset;
    start.originY = rows.origin;
    return start;
}

/// Where a file's start stands in the plane of its top: the mean place of the units it is in.
void placeOrigin(Start& start, const Shape& top) {
    start.origin = start.originY = 0;
    const auto positions = static_cast<std::size_t>(top.height) * static_cast<std::size_t>(top.width);
    for (std::size_t unit = 0; unit < start.profile.size(); ++unit) {
        const auto at = static_cast<int>(unit % positions);
        start.originY += start.profile[unit] * (at / top.width);
        start.origin += start.profile[unit] * (at % top.width);
    }
}

Space spaceOf(const Values& v) {
    if (v.is("space", "ring")) return Space::Ring;
    if (v.is("space", "line")) return Space::Line;
    return v.is("space", "grid") ? Space::Grid : Space::Dense;
}

/// As large as each axis of a drawn grid's state may be: beyond, its planes are no picture.
constexpr int kMaxSide = 128;

}  // namespace

bool isPlane(const Network& network) {
    if (network.input.height < 2) return false;
    const auto layers = weightLayerParts(network.layers);
    return !layers.empty() && layers.front().layer->kind != LayerKind::Dense;
}

bool Setup::plane() const { return file ? filePlane : drawn.space == Space::Grid; }

DrawnNetwork drawnNetwork(const Values& v) {
    DrawnNetwork n;
    n.space = spaceOf(v);
    n.type = v.is("layer", "plain") ? LayerType::Plain : v.is("layer", "residual") ? LayerType::Residual : LayerType::Differential;
    n.kernel = v.is("kernel", "uniform") ? KernelType::Uniform : v.is("kernel", "random") ? KernelType::Random : KernelType::Triangle;
    n.shared = v.flag("shared");
    n.filter = v.is("filter", "square") ? Filter::Square : Filter::Cross;
    n.torus = v.is("edges", "periodic");
    n.extent = n.space == Space::Grid ? std::min(v.integer("extent"), kMaxSide) : v.integer("extent");
    n.layers = v.integer("layers");
    n.taps = v.integer("taps");
    n.channels = v.integer("channels");
    n.stride = v.integer("stride");
    n.dilation = v.integer("dilation");
    n.epsilon = v.number("epsilon");
    n.seed = v.seed();
    return n;
}

Setup readSetup(const Request& request) {
    const Values& values = request.params;
    Setup setup;
    setup.drawn = drawnNetwork(values);
    int width = setup.drawn.widthAt(setup.drawn.layers), height = setup.drawn.heightAt(setup.drawn.layers);
    if (!values.is("network", "")) {
        setup.file = chosenNetwork(request, values.text("network"), &setup.warnings);
        setup.filePlane = isPlane(*setup.file);
        width = static_cast<int>(setup.file->output().units());
        height = 1;
        warnReplaced(values, setup.warnings);
    } else {
        warnIneffective(values, setup.drawn, setup.warnings);
    }
    setup.start = readStart(values, height, width, !setup.file && setup.drawn.periodic(), setup.warnings);
    if (setup.filePlane) placeOrigin(setup.start, weightLayerParts(setup.file->layers).back().layer->out);
    if (setup.plane()) setup.channel = values.integer("channel");
    if (values.flag("gradient")) setup.gradientSamples = values.integer("gradientSamples");
    setup.activation = activationFromKey(values.text("activation"));
    setup.slope = values.number("slope");
    setup.withNetwork = request.withNetwork;
    // Networks without randomness are all the same; only their gradients, with random signs, differ.
    if (setup.random() || (!setup.file && setup.gradientSamples > 0)) setup.draws = values.integer("draws");
    if (!setup.file && setup.draws < values.integer("draws"))
        setup.warnings.push_back("Every network with this kernel is the same: one stands for all " +
                                 std::to_string(values.integer("draws")) + " draws.");
    return setup;
}

namespace {

double gradientSamples(const Values& v) { return v.flag("gradient") ? v.number("gradientSamples") : 0; }

/// What all reports hold for each cell of [layer, position] arrays, copies for sending included.
double bytesPerCell(const Values& v) { return 12 * 8 + (gradientSamples(v) > 0 ? 80 : 0) + (v.number("channel") >= 0 ? 48 : 0); }

bool overLimit(const Cost& cost) { return !(cost.operations <= kCostLimit.operations && cost.bytes <= kCostLimit.bytes); }

Cost bytesCost(const Request& request) {
    const auto& id = request.params.text("network");
    const double size = id != "file"      ? static_cast<double>(sampleNetworkBytes(id).size())
                        : request.network ? static_cast<double>(request.network->bytes.size())
                                          : 0;
    const double weights = id != "file" ? size / 4 : request.network ? weightsAtMost(request.network->bytes) : 0;
    return {weights * (100 + 12 * gradientSamples(request.params)) + 1e6, size + weights * 8 + 2e7};
}

/// Numbers that one step down through a layer needs beside its weights: a copy with its batch norms folded in, or the columns of a
/// block of vectors.
double numbersOfStep(const WeightLayer& part) {
    const double own = part.inFront || !part.behind.empty() ? weightCount(*part.layer) : 0;
    double inside = 0;
    for (const auto* side : {&part.layer->branch, &part.layer->skip})
        for (const WeightLayer& inner : weightLayerParts(*side))
            inside = std::max(inside, weightCount(*inner.layer) + numbersOfStep(inner));
    const bool columns = part.layer->kind == LayerKind::Residual && part.layer->in.height == 1;
    return own + inside + (columns ? 4 * propagationWork(*part.layer) : 0);
}

/// What a file's layers add to that: convolutions use their weights at every position, and planes are stored padded to one size.
Cost layersCost(const Network& network, const Values& values) {
    double connections = 0, units = static_cast<double>(network.input.units());
    double tallest = network.input.height, widest = network.input.width, states = 1, numbers = 0;
    for (const auto& part : weightLayerParts(network.layers)) {
        const Layer& layer = *part.layer;
        numbers = std::max(numbers, numbersOfStep(part));
        connections += propagationWork(layer);
        units += static_cast<double>(layer.out.units());
        tallest = std::max<double>(tallest, layer.out.height);
        widest = std::max<double>(widest, layer.out.width);
        ++states;
    }
    const double cells = isPlane(network) ? states * tallest * widest : units;
    return {connections * (50 + 8 * gradientSamples(values)) + 100 * cells, 8 * numbers + 64 * units + cells * bytesPerCell(values)};
}

Cost fileCost(const Request& request) {
    Cost cost = bytesCost(request);
    if (overLimit(cost)) return cost;
    try {
        const Cost layers = layersCost(chosenNetwork(request, request.params.text("network")), request.params);
        cost.operations += layers.operations;
        cost.bytes += layers.bytes;
    } catch (const InputError&) {
        // Nothing will be computed: the start refuses the file and says why.
    }
    return cost;
}

Cost denseCost(const DrawnNetwork& n, const Values& v) {
    const double pairs = static_cast<double>(n.extent) * n.extent, layers = n.layers, samples = gradientSamples(v);
    const double perDraw = layers * pairs * (130 + 12 * samples);
    const double network = samples > 0 ? 3 * layers * pairs * 8 : 0;
    return {perDraw * v.number("draws") + 1e6, pairs * (n.mixes() ? 56 : 40) + network + (layers + 1) * n.extent * bytesPerCell(v) + 2e7};
}

/// Rings, lines and grids.
Cost localCost(const DrawnNetwork& n, const Values& v) {
    const bool grid = n.space == Space::Grid;
    const double positions = static_cast<double>(n.extent) * (grid ? n.extent : 1), layers = n.layers, channels = n.channels;
    const double samples = gradientSamples(v), draws = v.number("draws"), taps = static_cast<double>(n.tapsOf().size());
    const double pairs = channels * channels * taps, windowPairs = channels * channels * n.taps * (grid ? n.taps : 1);
    const double weights = pairs * (n.alike() ? 1 : positions), moments = n.alike() || !n.periodic() ? 1 : grid ? 6 : 3;
    const double drawing = weights * (n.kernel == KernelType::Random ? 60 : 20);
    const double descending = positions * (2 * moments * pairs + 20 * moments * taps * channels + (grid ? 80 : 30 * taps + 70));
    const double running = samples * positions * (12 * windowPairs + 60 * channels);
    const double theory = grid ? (layers + 1) * diffusedPlaneWork(n.extent, n.extent, n.torus, n.kernel == KernelType::Random)
                               : layers * positions * 2 * (positions + 60);
    const double network = samples > 0 ? 3 * layers * windowPairs * (n.alike() ? 1 : positions) * 8 : 0;
    const double states = samples > 0 ? layers * positions * channels * 40 : 0;
    return {draws * layers * (drawing + descending + running) + theory + 1e6,
            3 * weights * 8 + network + states + (20 + 6 * moments) * positions * channels * 8 +
                (layers + 1) * (positions * bytesPerCell(v) + (grid ? 240 : 120) * draws) + 2e7};
}

}  // namespace

Cost costOf(const Request& request) {
    const Values& values = request.params;
    if (!values.is("network", "")) return fileCost(request);
    const auto n = drawnNetwork(values);
    const bool dense = n.space == Space::Dense;
    Cost cost = dense ? denseCost(n, values) : localCost(n, values);
    if (request.withNetwork) {
        const double positions = static_cast<double>(n.extent) * (n.space == Space::Grid ? n.extent : 1);
        const double window = n.taps * (n.space == Space::Grid ? n.taps : 1.0);
        const double perLayer = dense ? static_cast<double>(n.extent) * n.extent
                                      : static_cast<double>(n.channels) * n.channels * window * (n.shared ? 1 : positions);
        cost.bytes += 3 * 8 * perLayer * n.layers;
    }
    return cost;
}

std::string costliestOf(const Request& request) {
    const Cost cost = costOf(request);
    const bool time = cost.operations / kCostLimit.operations >= cost.bytes / kCostLimit.bytes;
    const auto& declaration = *findDeclaration(request.scene);
    std::string worst = request.params.is("network", "") ? "extent" : "network";
    double least = time ? cost.operations : cost.bytes;
    for (const char* key : {"extent", "layers", "draws", "gradientSamples", "channels", "taps"}) {
        const Value standard = standardBeside(*declaration.param(key), request.params);
        if (request.params.number(key) <= std::get<double>(standard)) continue;
        Request lower = request;
        lower.params.set(key, standard);
        const Cost less = costOf(lower);
        if ((time ? less.operations : less.bytes) >= least) continue;
        least = time ? less.operations : less.bytes;
        worst = key;
    }
    return worst;
}

}  // namespace kappaflow::diffusion
