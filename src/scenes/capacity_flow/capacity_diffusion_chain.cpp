#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "core/base/errors.h"
#include "core/net/layer_rows.h"
#include "scenes/capacity_flow/capacity_diffusion_model.h"

namespace kappaflow::capacity_diffusion {
namespace {

using Warnings = std::vector<std::string>;

/// As large as each axis of a drawn grid's state may be: beyond, its planes are no picture.
constexpr int kMaxSide = 128;
/// More edges of the flow than a picture can show: positions are joined in bins.
constexpr double kMaxFlowEdges = 40000;
/// More entries of D than a report should carry: `shares` is left out.
constexpr double kMaxShares = 300000;
constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

double sumOf(const Vector& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// What a file brings itself and a reader set all the same.
void warnReplaced(const Params& p, Warnings& warnings) {
    const Params d;
    const std::pair<const char*, bool> all[] = {{"space", p.space != d.space},
                                                {"layer", p.layer != d.layer},
                                                {"kernel", p.kernel != d.kernel},
                                                {"shared", p.shared != d.shared},
                                                {"extent", p.extent != (p.space == Space::Grid ? 33 : d.extent)},
                                                {"layers", p.layers != d.layers},
                                                {"taps", p.taps != d.taps},
                                                {"channels", p.channels != d.channels},
                                                {"stride", p.stride != d.stride},
                                                {"dilation", p.dilation != d.dilation},
                                                {"filter", p.filter != d.filter},
                                                {"edges", p.edges != d.edges},
                                                {"draws", p.draws != d.draws}};
    std::string replaced;
    for (const auto& [key, set] : all)
        if (set) replaced += (replaced.empty() ? "" : ", ") + std::string(key);
    if (!replaced.empty()) warnings.push_back("The network's own architecture replaces these settings: " + replaced + ".");
}

void warnIneffective(const Params& p, const DrawnNetwork& n, Warnings& warnings) {
    if (p.space != Space::Dense && n.mixes() && p.stride != 1)
        warnings.push_back("A residual or differential layer is as wide as its input: the stride was taken as 1.");
    if (p.layer == LayerType::Residual && (p.space == Space::Dense ? n.extent : n.taps) == 1)
        warnings.push_back("A residual layer that reads nothing beside its centre moves nothing: its capacity stays where it is.");
    int widest = 0;
    for (int l = 1; l <= n.layers; ++l) widest = std::max(widest, (n.taps - 1) * n.dilationOf(l) + 1);
    if (n.periodic() && widest > n.extent)
        warnings.push_back("The window is wider than the " + std::string(p.space == Space::Ring ? "ring" : "torus") +
                           ": connections that meet on one unit count as separate paths.");
}

/// Stretched or shrunk to the units, each of them taking the mean of what is painted over it: a narrow peak loses no capacity.
Vector stretched(const Vector& painted, int width) {
    Vector profile(static_cast<Size>(width));
    const double ratio = static_cast<double>(painted.size()) / width;
    for (Size x = 0; x < profile.size() && !painted.empty(); ++x) {
        const double lo = static_cast<double>(x) * ratio, hi = static_cast<double>(x + 1) * ratio;
        double sum = 0;
        for (auto i = static_cast<Size>(lo); i < painted.size() && static_cast<double>(i) < hi; ++i) {
            const double overlap = std::min(hi, static_cast<double>(i + 1)) - std::max(lo, static_cast<double>(i));
            sum += std::max(0.0, painted[i]) * std::max(0.0, overlap);
        }
        profile[x] = sum / ratio;
    }
    return profile;
}

void normalise(Vector& profile) {
    const double largest = *std::max_element(profile.begin(), profile.end());
    double sum = 0;
    for (double& share : profile) sum += share / largest;
    for (double& share : profile) share = share / largest / sum;
}

Start blockStart(int centre, int block, int width, bool ring) {
    Start start{Vector(static_cast<Size>(width)), Vector(static_cast<Size>(width))};
    start.origin = centre;
    // No further than once around a ring; a line cuts off what lies beyond its ends.
    const int reach = ring ? std::min(block, width) : block, first = centre - (reach - 1) / 2;
    for (int x = first; x < first + reach; ++x) {
        if (!ring && (x < 0 || x >= width)) continue;
        const auto at = static_cast<Size>((x % width + width) % width);
        start.profile[at] = 1;
        start.offset[at] = x - centre;
    }
    normalise(start.profile);
    return start;
}

/// Along one axis. Even and painted starts count from their own mean.
Start axisStart(const Params& p, int centre, int width, bool ring, Warnings& warnings) {
    if (p.top == Top::Dirac) return blockStart(centre, 1, width, ring);
    if (p.top == Top::Block) return blockStart(centre, p.blockWidth, width, ring);
    Start start{p.top == Top::Uniform ? Vector(static_cast<Size>(width), 1.0) : stretched(p.profile, width), {}};
    if (std::none_of(start.profile.begin(), start.profile.end(), [](double share) { return share > 0; })) {
        warnings.push_back("The painted start is empty: one unit was taken instead.");
        return blockStart(centre, 1, width, ring);
    }
    normalise(start.profile);
    for (Size x = 0; x < start.profile.size(); ++x) start.origin += static_cast<double>(x) * start.profile[x];
    for (Size x = 0; x < start.profile.size(); ++x) start.offset.push_back(static_cast<double>(x) - start.origin);
    return start;
}

/// Every start of a plane is the product of one along each axis: a unit, a square block, all units, the painted profile twice.
Start startOf(const Params& p, int height, int width, bool periodic, Warnings& warnings) {
    const int units = height * width;
    if (p.topIndex >= units && (p.top == Top::Dirac || p.top == Top::Block))
        warnings.push_back("topIndex was lowered to " + std::to_string(units - 1) + ", the last of the " + counted(units, "position") +
                           " at the top.");
    const int top = p.topIndex < 0 ? height / 2 * width + width / 2 : std::min(p.topIndex, units - 1);
    Start start = axisStart(p, top % width, width, periodic, warnings);
    if (height == 1) return start;
    Warnings said;
    const Start rows = axisStart(p, top / width, height, periodic, said), columns = start;
    start.profile.clear();
    for (const double y : rows.profile)
        for (const double x : columns.profile) start.profile.push_back(y * x);
    start.offsetY = rows.offset;
    start.originY = rows.origin;
    return start;
}

/// Input positions for each of a layer's outputs, 0 for a layer without places.
double strideOf(const Layer& layer) {
    switch (traitsOf(layer).positions) {
        case Positions::Kept:
            return 1;
        case Positions::Window: {
            const auto stride = windowOf(layer).stride;
            return stride[0] == stride[1] ? stride[1] : 0;
        }
        case Positions::Inside: {
            const std::vector<Layer>& inner = layer.as<Block>().inner;
            std::vector<double> strides{1};
            for (Size l = 0; l < inner.size(); ++l)
                strides.push_back(strides[operandOf(inner, l, inner[l].reads.size() - 1)] * strideOf(inner[l]));
            return strides.back();
        }
        default:
            return 0;
    }
}

/// Sums over channels: [channel][position] → [position].
Vector byPosition(const Vector& units, Size positions) {
    Vector sums(positions);
    for (Size i = 0; i < units.size(); ++i) sums[i % positions] += units[i];
    return sums;
}

OffsetMoments noMoments(Size n, bool plane) {
    const Vector zeros(n), zerosY(plane ? n : 0);
    return {zeros, zeros, zeros, zerosY, zerosY, zerosY};
}

/// What so much capacity at an offset brings.
void addOffset(OffsetMoments& m, Size at, double mass, double y, double x) {
    m.mass[at] += mass;
    m.first[at] += mass * x;
    m.second[at] += mass * x * x;
    if (m.product.empty()) return;
    m.firstY[at] += mass * y;
    m.secondY[at] += mass * y * y;
    m.product[at] += mass * y * x;
}

}  // namespace

DrawnNetwork drawnNetwork(const Params& p) {
    DrawnNetwork n;
    n.space = static_cast<kappaflow::Space>(p.space);
    n.type = static_cast<kappaflow::LayerType>(p.layer);
    n.kernel = static_cast<KernelType>(p.kernel);
    n.shared = p.shared;
    n.filter = static_cast<kappaflow::Filter>(p.filter);
    n.torus = p.edges == Edges::Periodic;
    n.extent = p.space == Space::Grid ? std::min(p.extent, kMaxSide) : p.extent;
    n.layers = p.layers, n.taps = p.taps, n.channels = p.channels;
    n.stride = p.stride, n.dilation = p.dilation;
    n.epsilon = p.epsilon;
    n.seed = p.seed;
    return n;
}

bool beginsAsPlane(const Network& network) {
    if (network.input.height < 2) return false;
    const auto layers = weightLayerParts(network.layers);
    return !layers.empty() && !layers.front().layer->is<Dense>();
}

Chain::Chain(const Opened<Params>& opened, Warnings& warnings)
    : p(opened.params), file(opened.network), drawn(drawnNetwork(p)), draws(drawsOf(p)), samples(p.gradient ? p.gradientSamples : 0) {
    if (file) {
        warnReplaced(p, warnings);
        plane = beginsAsPlane(*file);
        start = startOf(p, 1, static_cast<int>(file->output().units()), false, warnings);
        addFile();
    } else {
        warnIneffective(p, drawn, warnings);
        plane = p.space == Space::Grid;
        start = startOf(p, drawn.heightAt(drawn.layers), drawn.widthAt(drawn.layers), drawn.periodic(), warnings);
        addDrawn();
        if (draws < p.draws)
            warnings.push_back("Every network with this kernel is the same: one stands for all " + std::to_string(p.draws) + " draws.");
    }
    if (plane) channel = p.channel;
    tallest = static_cast<Size>(*std::max_element(heights.begin(), heights.end()));
    widest = static_cast<Size>(*std::max_element(widths.begin(), widths.end()));
}

void Chain::addDrawn() {
    const double taps = static_cast<double>(drawn.tapsOf().size()), pairs = static_cast<double>(drawn.channels) * drawn.channels * taps;
    if (local()) tracking = !drawn.periodic() ? Tracking::Positions : drawn.alike() ? Tracking::Collapsed : Tracking::Units;
    const double moments = tracking == Tracking::Units ? (plane ? 6 : 3) : 1;
    for (int l = 0; l <= drawn.layers; ++l) {
        heights.push_back(drawn.heightAt(l));
        widths.push_back(local() ? drawn.widthAt(l) : drawn.extent);
        const Size cells = positions(heights.size() - 1);
        units.push_back(cells * static_cast<Size>(drawn.channelsAt(l)));
        if (l == 0) continue;
        if (!local()) {
            geometry.push_back({drawn.extent, drawn.extent, 1.0 * drawn.extent, 1.0 * drawn.extent});
            work.push_back(100.0 * drawn.extent * drawn.extent + 200);
            continue;
        }
        const double kernels = drawn.alike() ? 1 : static_cast<double>(cells);
        const double drawing = (p.kernel == Kernel::Random ? 60 : 20) * pairs * kernels + 200;
        work.push_back((2 * moments * pairs + 20 * moments * taps * drawn.channels + 60) * static_cast<double>(cells) + drawing);
        if (plane) continue;
        const double span = static_cast<double>(drawn.taps - 1) * drawn.dilationOf(l) + 1;
        geometry.push_back({drawn.widthAt(l - 1), drawn.widthAt(l), taps, span});
    }
    scale.assign(units.size(), local() ? 1 : 0);
    for (Size l = layers(); l > 0; --l) scale[l - 1] = drawn.strideOf(static_cast<int>(l)) * scale[l];
}

void Chain::addFile() {
    parts_ = weightLayerParts(file->layers);
    if (parts_.empty()) throw InputError("The network has no layer with weights, so there is nothing for capacity to flow through.");
    const auto addState = [&](const Shape& shape) {
        heights.push_back(plane ? shape.height : 1);
        widths.push_back(plane ? shape.width : static_cast<int>(shape.units()));
        units.push_back(shape.units());
    };
    addState(plane ? file->input : parts_.front().layer->in);
    for (const auto& part : parts_) {
        const Shape &in = part.layer->in, &out = part.layer->out;
        addState(out);
        const auto inputs = static_cast<double>(in.units()), outputs = static_cast<double>(out.units());
        work.push_back(plane ? propagationOperations(*part.layer) + 200 : 100 * (inputs * outputs) + 200);
        if (!plane) geometry.push_back({static_cast<int>(in.units()), static_cast<int>(out.units()), inputs, inputs});
    }
    scale.assign(units.size(), 0);
    if (!plane) return;
    tracking = Tracking::Positions;
    // Offsets count from the top as far down as every layer keeps places.
    scale.back() = strideOf(*parts_.back().layer) > 0 ? 1 : 0;
    for (Size l = layers(); l > 0; --l) scale[l - 1] = scale[l] * strideOf(*parts_[l - 1].layer);
    inputScale.assign(1, 1);
    for (const auto& part : parts_) inputScale.push_back(inputScale.back() * strideOf(*part.layer));
    // The mean place of the units that the start is in, in the plane of the top.
    const Shape& top = parts_.back().layer->out;
    start.origin = start.originY = 0;
    for (Size unit = 0; unit < start.profile.size(); ++unit) {
        const auto at = static_cast<int>(unit % (static_cast<Size>(top.height) * static_cast<Size>(top.width)));
        start.originY += start.profile[unit] * (at / top.width);
        start.origin += start.profile[unit] * (at % top.width);
    }
}

Reached Chain::top() const {
    Reached reached;
    // A file's start speaks of its output units, a drawn network's of positions.
    const Size cells = start.profile.size(), width = start.offset.size(), copies = units.back() / cells;
    for (Size c = 0; c < copies; ++c)
        for (const double share : start.profile) reached.capacity.push_back(share / static_cast<double>(copies));
    if (tracking != Tracking::Collapsed && tracking != Tracking::Units) return reached;
    const bool byUnit = tracking == Tracking::Units;
    reached.offsets = noMoments(byUnit ? copies * cells : copies, plane);
    for (Size c = 0; c < copies; ++c)
        for (Size i = 0; i < cells; ++i)
            addOffset(reached.offsets, byUnit ? c * cells + i : c, start.profile[i] / static_cast<double>(copies), start.offsetY[i / width],
                      start.offset[i % width]);
    return reached;
}

Reached Chain::stepDown(Size l, std::uint64_t draw, const Reached& above, double& unattributed, const StepRecord& record) const {
    const auto flows = [&](Size from, Size to, double amount) { record.flow->add(static_cast<int>(from), static_cast<int>(to), amount); };
    const auto weights = [&] { return layerWeights(drawn, static_cast<int>(l), draw); };
    if (local()) {
        const auto K = capacityKernel(drawn, static_cast<int>(l), weights());
        *record.kernelShares = kernelShares(K);
        record.parcels->descend(K);
        if (record.flow) {
            const auto moved = transfers(K, above.capacity);
            const Size width = K.outPositions();
            for (Size x = 0; x < width; ++x) {
                for (Size k = 0; k < K.taps.size(); ++k)
                    if (const int to = K.inputAt(x, k); to >= 0) flows(x, static_cast<Size>(to), moved.byTap[k * width + x]);
                if (K.mixes) flows(x, x, moved.stayed[x]);
            }
        }
        Reached below;
        if (tracking == Tracking::Units) {
            below.offsets = propagate(K, above.offsets, unattributed);
            below.capacity = below.offsets.mass;
            return below;
        }
        below.capacity = propagate(K, above.capacity, unattributed);
        double again = 0;
        if (tracking == Tracking::Collapsed) below.offsets = propagate(collapsed(K), above.offsets, again);
        return below;
    }
    Layer scratch;
    const Layer* layer = file ? &parts_[l - 1].folded(scratch) : nullptr;
    if (layer) record.parcels->descend(*layer);
    if (plane) return {propagate(*layer, above.capacity, unattributed), {}};
    if (layer && !record.shares && !layer->is<Block>()) {
        visitColumns(*layer, [&](Size unit, std::span<const CapacityLayer::Entry> entries, double) {
            for (const auto& entry : entries) flows(unit, entry.input, entry.share * above.capacity[unit]);
        });
        return {propagate(*layer, above.capacity, unattributed), {}};
    }
    const CapacityLayer D = layer ? capacityLayer(*layer) : denseCapacityLayer(drawn, weights());
    if (!layer) record.parcels->descend(D);
    if (record.shares) record.shares->assign(D.inputs * D.outputs, 0);
    for (Size j = 0; j < D.outputs; ++j)
        for (Size e = D.start[j]; e < D.start[j + 1]; ++e) {
            const auto& entry = D.entries[e];
            flows(j, entry.input, entry.share * above.capacity[j]);
            if (record.shares) (*record.shares)[entry.input * D.outputs + j] += entry.share;
        }
    return {propagate(D, above.capacity, unattributed), {}};
}

std::shared_ptr<const Network> Chain::network(std::uint64_t draw) const {
    if (file) return file;
    using enum kappaflow::Activation;
    constexpr kappaflow::Activation kByOption[] = {Relu,     Identity, LeakyRelu, Abs,         Tanh,
                                                   HardTanh, Sigmoid,  Relu6,     HardSigmoid, PseudoRandom};
    return std::make_shared<Network>(runnableNetwork(drawn, kByOption[static_cast<Size>(p.activation)], p.slope, draw));
}

std::vector<Size> Chain::states() const { return file ? weightLayerStates(*file) : runnableStates(drawn); }

Vector Chain::undefinedRows() const { return Vector(units.size() * tallest * widest, kUndefined); }

Vector Chain::rowOf(const Vector& array, Size l) const {
    Vector row;
    for (Size y = 0; y < static_cast<Size>(heights[l]); ++y)
        std::copy_n(array.begin() + static_cast<std::ptrdiff_t>((l * tallest + y) * widest), widths[l], std::back_inserter(row));
    return row;
}

void Chain::setRow(Vector& array, Size l, const Vector& values) const {
    const auto width = static_cast<Size>(widths[l]);
    for (Size i = 0; i < values.size(); ++i) array[(l * tallest + i / width) * widest + i % width] = values[i];
}

Totals::Totals(const Chain& c) : kernelShares(c.layers()), shares(c.layers()), flow(c.geometry.size()) {
    binSize = flowBinSize(c.geometry, kMaxFlowEdges);
    double entries = 0;
    for (const auto& g : c.geometry) entries += static_cast<double>(g.inWidth) * g.outWidth;
    wantsShares = !c.local() && !c.plane && entries <= kMaxShares;
    parcels.assign(parcelsOf(c) * c.units.size(), kUndefined);
}

namespace {

/// Of state l, y before x in a plane; 0 where there is no capacity.
void addMomentsOf(const Chain& c, Size l, const OffsetMoments& offsets, const Vector& capacity, Moments& m) {
    const bool places = c.tracking == Tracking::Positions;
    const double total = sumOf(places ? capacity : offsets.mass);
    if (!(total > 0)) return;
    OffsetMoments here = noMoments(1, c.plane);  // of shares
    const auto width = static_cast<Size>(c.widths[l]);
    for (Size i = 0; i < capacity.size() && places; ++i)
        addOffset(here, 0, capacity[i] / total, static_cast<double>(i / width) - c.scale[l] * c.start.originY,
                  static_cast<double>(i % width) - c.scale[l] * c.start.origin);
    const auto mean = [&](Vector OffsetMoments::*moment) { return places ? (here.*moment)[0] : sumOf(offsets.*moment) / total; };
    const Size sides = c.plane ? 2 : 1, x = (l + 1) * sides - 1, y = l * sides;
    m.first[x] = mean(&OffsetMoments::first);
    m.second[x] = mean(&OffsetMoments::second);
    if (!c.plane) return;
    m.first[y] = mean(&OffsetMoments::firstY);
    m.second[y] = mean(&OffsetMoments::secondY);
    m.product[l] = mean(&OffsetMoments::product);
}

void addTo(Vector& sums, const Vector& values) {
    if (sums.empty()) sums.resize(values.size());
    for (Size i = 0; i < values.size(); ++i) sums[i] += values[i];
}

}  // namespace

void addNetwork(const Chain& c, std::uint64_t draw, Totals& totals, const Tell& tell) {
    const Size states = c.units.size(), moments = c.tracking == Tracking::None ? 0 : states, sides = c.plane ? 2 : 1;
    Vector capacity = c.undefinedRows(), channel = c.channel >= 0 ? c.undefinedRows() : Vector{}, total(states), unattributed(states);
    Moments m{Vector(moments * sides), Vector(moments * sides), Vector(c.plane ? moments : 0)};
    std::vector<Vector> kernelShares(c.layers()), shares(c.layers());
    std::vector<LayerEdges> flow(c.geometry.size());
    Reached reached = c.top();
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t number = draw; number < parcelsOf(c); number += static_cast<std::uint64_t>(c.draws)) numbers.push_back(number);
    Parcels parcels(reached.capacity, c.p.seed, numbers);
    for (Size l = states; l-- > 0;) {
        if (l + 1 < states) {
            FlowLayer edges(totals.binSize, c.plane ? 1 : c.widths[l]);
            unattributed[l] = unattributed[l + 1];
            reached = c.stepDown(l + 1, draw, reached, unattributed[l],
                                 {c.plane ? nullptr : &edges, &kernelShares[l], totals.wantsShares ? &shares[l] : nullptr, &parcels});
            if (!c.plane) flow[l] = edges.finish();
            tell(c.work[l]);
        }
        const auto row = byPosition(reached.capacity, c.positions(l));
        c.setRow(capacity, l, row);
        for (Size i = 0; i < numbers.size(); ++i)
            if (const auto unit = parcels.units()[i]; unit >= 0)
                totals.parcels[numbers[i] * states + l] = static_cast<double>(static_cast<Size>(unit) % c.positions(l));
        if (c.channel >= 0 && static_cast<Size>(c.channel) < c.channels(l)) {
            const auto first = reached.capacity.begin() + static_cast<std::ptrdiff_t>(static_cast<Size>(c.channel) * row.size());
            c.setRow(channel, l, {first, first + static_cast<std::ptrdiff_t>(row.size())});
        }
        total[l] = sumOf(reached.capacity);
        if (moments > 0) addMomentsOf(c, l, reached.offsets, row, m);
    }
    totals.capacity.add(capacity);
    totals.total.add(total);
    totals.unattributed.add(unattributed);
    if (!channel.empty()) totals.channel.add(channel);
    totals.moments.push_back(std::move(m));
    for (Size l = 0; l < c.layers(); ++l) {
        addTo(totals.kernelShares[l], kernelShares[l]);
        addTo(totals.shares[l], shares[l]);
    }
    for (Size l = 0; l < flow.size(); ++l) {
        if (totals.flow[l].from.empty())
            totals.flow[l] = std::move(flow[l]);
        else
            addTo(totals.flow[l].amount, flow[l].amount);
    }
    tell(gatheringWork(c));
}

void addGradient(const Chain& c, std::uint64_t draw, Totals& totals, const Tell& tell) {
    const auto network = c.network(draw);
    const auto states = c.states();
    const double work = 2 * sumOf(c.work), cells = static_cast<double>(c.start.profile.size());
    Vector top;
    for (Size i = 0; i < c.units.back(); ++i)
        top.push_back(c.start.profile[i % c.start.profile.size()] * cells / static_cast<double>(c.units.back()));
    EnsembleMean mean, total;  // of all states' positions one after another, and of their totals [state]
    Vector comoments;          // Σ (g_i − mean)(T − mean) over the samples
    for (int sample = 0; sample < c.samples; ++sample) {
        Rng rng(c.p.seed, Purpose::Inputs, (draw << 32) | static_cast<std::uint64_t>(sample));
        const auto squares = squaredGradient(*network, top, rng);
        Vector rows, sums;
        for (Size l = 0; l < states.size(); ++l) {
            const auto row = byPosition(squares[states[l]], c.positions(l));
            rows.insert(rows.end(), row.begin(), row.end());
            sums.push_back(sumOf(row));
        }
        const auto before = sample > 0 ? mean.mean() : rows;
        mean.add(rows);
        total.add(sums);
        comoments.resize(rows.size());
        for (Size l = 0, i = 0; l < sums.size(); ++l)
            for (const Size end = i + c.positions(l); i < end; ++i) comoments[i] += (rows[i] - before[i]) * (sums[l] - total.mean()[l]);
        tell(work);
    }
    // Each position's share r_i of its row's total T, NaN where every gradient vanishes; its error is that of g_i − r_i T over T.
    const double n = mean.count(), pairs = std::max(1.0, n * (n - 1));
    const auto error = mean.standardError(), totalError = total.standardError();
    Vector rows = c.undefinedRows(), errors = rows;
    for (Size l = 0, i = 0; l < states.size(); ++l) {
        const double sum = total.mean()[l], variance = totalError[l] * totalError[l];
        Vector shares, shareErrors;
        for (const Size end = i + c.positions(l); i < end; ++i) {
            if (!(sum > 0)) continue;
            const double share = mean.mean()[i] / sum;
            shares.push_back(share);
            const double square = error[i] * error[i] - 2 * share * comoments[i] / pairs + share * share * variance;
            // A share that never varies leaves only the rounding of the three terms, whose root would look like an error.
            shareErrors.push_back(square > 1e-13 * error[i] * error[i] ? std::sqrt(square) / sum : 0);
        }
        c.setRow(rows, l, shares);
        c.setRow(errors, l, shareErrors);
    }
    totals.gradient.add(rows);
    totals.gradientError = std::move(errors);
}

}  // namespace kappaflow::capacity_diffusion
