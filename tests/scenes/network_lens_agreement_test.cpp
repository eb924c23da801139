// What the lenses say of a network is what the single scenes say of its file, and the core of the network itself.
#include <doctest/doctest.h>

#include <map>

#include "core/capacity/measured_capacity.h"
#include "core/expressivity/trajectory_sweep.h"
#include "core/io/network_file.h"
#include "core/io/onnx.h"
#include "core/moments/network_moments.h"
#include "support/capacity_flow.h"
#include "support/networks.h"
#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

struct Seen {
    Report report;
    std::shared_ptr<const Attachment> file;
    Network network;
};

Seen lookAt(const Settings& settings) {
    Request request = requestOf("network-lens", settings);
    request.withNetwork = true;
    Seen all;
    all.report = runRequest(request);
    checkReport(*findDeclaration("network-lens"), all.report);
    REQUIRE_FALSE(all.report.networkFile.empty());
    all.file = std::make_shared<Attachment>(Attachment{"lens.onnx", all.report.networkFile});
    all.network = readNetwork(all.report.networkFile, "lens.onnx");
    return all;
}

/// Each network is looked at once.
const Seen& seen(const Settings& settings) {
    static std::map<Settings, Seen> known;
    const auto found = known.find(settings);
    return found != known.end() ? found->second : known.emplace(settings, lookAt(settings)).first->second;
}

Report single(const char* scene, Settings settings, const Seen& all, const std::vector<double>& corners = {}) {
    settings.emplace_back("network", "file");
    Request request = requestOf(scene, settings);
    request.network = all.file;
    if (!corners.empty()) request.params.set("corners", corners);
    Report report = runRequest(request);
    checkReport(*findDeclaration(scene), report);
    return report;
}

void checkNear(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        CHECK(std::isnan(a[i]) == std::isnan(b[i]));
        if (!std::isnan(a[i])) worst = std::max(worst, std::abs(a[i] - b[i]) / std::max(1.0, std::abs(b[i])));
    }
    CHECK(worst <= 1e-12);
}

const std::vector<Settings> kNetworks{{},
                                      {{"activation", "hard-tanh"}, {"seed", "4"}, {"steps", "50"}},
                                      {{"data", "gaussian"}, {"inputs", "5"}, {"initialisation", "orthogonal"}, {"unit", "2"}},
                                      {{"data", "spirals"}, {"widths", "12,9"}, {"activation", "leaky-relu"}, {"steps", "40"}}};

/// Samples of the scene as the lens of sensitivity takes them: only those that the report has, so that all of them are asked for.
Matrix inputsOf(const Report& report) {
    const auto& points = arrayOf(report, "samplePoints").values;
    Matrix inputs(2, points.size() / 2);
    for (std::size_t s = 0; s < inputs.columns; ++s)
        for (std::size_t i = 0; i < 2; ++i) inputs(i, s) = points[2 * s + i];
    return inputs;
}

}  // namespace

TEST_CASE("capacity under the lens is capacity-diffusion's of the same network, to 1e-12") {
    for (const Settings& settings : kNetworks) {
        const Seen& all = seen(settings);
        const std::string unit = formatNumber(all.report.params.number("unit"));
        const Report flow = single("capacity-diffusion", {{"top", "dirac"}, {"topIndex", unit}}, all);
        checkNear(arrayOf(all.report, "capacity").values, arrayOf(flow, "capacity").values);
        checkNear(arrayOf(all.report, "total").values, arrayOf(flow, "total").values);
    }
}

TEST_CASE("regions under the lens are activation-regions' of the same network and slice, to 1e-12") {
    for (const Settings& settings : kNetworks) {
        const Seen& all = seen(settings);
        const bool flat = arrayOf(all.report, "units").values.front() == 2;
        Settings asked{{"half", formatNumber(all.report.params.number("half"))},
                       {"budget", "20000"},
                       {"outputIndex", formatNumber(all.report.params.number("unit"))}};
        if (!flat) asked.emplace_back("plane", "points");
        const Report regions =
            single("activation-regions", asked, all, flat ? std::vector<double>{} : arrayOf(all.report, "chosenInputs").values);
        for (const char* name : {"regions", "exactThrough", "certificate"}) CHECK(scalarOf(all.report, name) == scalarOf(regions, name));
        for (const char* name : {"regionsByDepth", "unitsByDepth", "vertices", "polygons", "polygonEnds", "edges", "edgeLayer", "pattern",
                                 "output", "vertexOutput", "window"}) {
            CAPTURE(name);
            checkNear(arrayOf(all.report, name).values, arrayOf(regions, name).values);
        }
        // Left out where the decision changes nowhere in the window.
        const Array *ours = all.report.array("decisionBoundary"), *theirs = regions.array("decisionBoundary");
        checkNear(ours ? ours->values : std::vector<double>{}, theirs ? theirs->values : std::vector<double>{});
    }
}

TEST_CASE("capacity measured under the lens is the core's of the same network and samples, to 1e-10, and sums to 1 in every layer") {
    for (Settings settings : kNetworks) {
        settings.emplace_back("samples", "100");
        const Seen& all = seen(settings);
        const Array& measured = arrayOf(all.report, "measuredCapacity");
        const std::size_t states = measured.axes[0].values.size(), widest = measured.axes[1].values.size();
        CHECK(scalarOf(all.report, "measuredSamples") == 100);
        const bool plane = arrayOf(all.report, "units").values.front() == 2;
        if (plane) {
            const Matrix inputs = inputsOf(all.report);
            REQUIRE(inputs.columns == 100);
            const auto unit = static_cast<std::size_t>(all.report.params.number("unit"));
            const GatedPaths paths(all.network, inputs);
            const PathStart start = startAtOutputs(all.network, {unit});
            // Of all pairs, so that the order of the samples does not matter.
            const MeasuredCapacity core = measureCapacity(paths, start, {.states = denseChain(paths, start.state).stateOf});
            REQUIRE(core.profiles.size() == states);
            for (std::size_t l = 0; l < states; ++l)
                for (std::size_t i = 0; i < core.profiles[l].capacity.size(); ++i)
                    CHECK(measured.values[l * widest + i] == doctest::Approx(core.profiles[l].capacity[i]).epsilon(1e-10).scale(1));
        }
        for (std::size_t l = 0; l < states; ++l)
            for (const char* name : {"measuredCapacity", "decoupledCapacity", "channelCapacity"}) {
                CAPTURE(name);
                double sum = 0;
                for (std::size_t i = 0; i < widest; ++i)
                    if (const double x = arrayOf(all.report, name).values[l * widest + i]; std::isfinite(x)) sum += x;
                CHECK(sum == doctest::Approx(1).epsilon(1e-9));
            }
        // Where capacity starts all three are the same.
        CHECK(arrayOf(all.report, "distanceDecoupled").values.back() == doctest::Approx(0).scale(1));
        CHECK(arrayOf(all.report, "distanceChannel").values.back() == doctest::Approx(0).scale(1));
        CHECK(arrayOf(all.report, "distanceDecoupled").values.front() > 0);
    }
}

TEST_CASE("the curve under the lens is the core's exact sweep through the same network, to 1e-12") {
    for (const Settings& settings : kNetworks)
        for (const char* form : {"line", "arc"}) {
            Settings asked = settings;
            asked.emplace_back("trajectory", form);
            const Seen& all = seen(asked);
            const auto& ends = arrayOf(all.report, "chosenInputs").values;
            const std::size_t inputs = ends.size() / 3;
            const std::span<const double> a(ends.data(), inputs), b(ends.data() + inputs, inputs);
            const auto layers = curveLayers(all.network);
            const auto passages =
                sweepTrajectory(layers, std::string(form) == "arc" ? arcCurve(a, b, 0, std::acos(0.0)) : segmentCurve(a, b));
            std::vector<double> lengths, transitions, pieces;
            for (const CurvePassage& passage : passages) {
                lengths.push_back(passage.length);
                transitions.push_back(passage.transitions);
                pieces.push_back(static_cast<double>(passage.pieces));
            }
            checkNear(arrayOf(all.report, "length").values, lengths);
            checkNear(arrayOf(all.report, "transitions").values, transitions);
            checkNear(arrayOf(all.report, "pieces").values, pieces);
            CHECK(scalarOf(all.report, "exactLayers") == static_cast<double>(layers.size()));
        }
}

TEST_CASE("smooth curves under the lens are as long as many short chords, within their standard errors") {
    const Seen all = seen({{"activation", "tanh"}, {"steps", "30"}});
    const auto& ends = arrayOf(all.report, "chosenInputs").values;
    constexpr std::size_t kChords = 4000;
    std::vector<double> chords(5);
    std::vector<std::vector<double>> before;
    const auto states = weightLayerStates(all.network);
    for (std::size_t i = 0; i <= kChords; ++i) {
        const double t = static_cast<double>(i) / kChords;
        const auto now = forward(all.network, {(1 - t) * ends[0] + t * ends[2], (1 - t) * ends[1] + t * ends[3]});
        for (std::size_t l = 0; l < states.size() && i > 0; ++l) {
            double sum = 0;
            for (std::size_t u = 0; u < now[states[l]].size(); ++u) sum += std::pow(now[states[l]][u] - before[states[l]][u], 2);
            chords[l] += std::sqrt(sum);
        }
        before = now;
    }
    const Array& length = arrayOf(all.report, "length");
    for (std::size_t l = 0; l < 5; ++l) CHECK(std::abs(length.values[l] - chords[l]) < 5 * length.standardError[l] + 1e-6 * chords[l]);
}

namespace {

/// χ of the definition with the expectation over noise written out: a column of every sample's Jacobian after the other.
std::vector<double> chiByColumns(const Network& network, const Matrix& inputs) {
    const std::size_t n = network.input.units();
    NetworkMoments drawn(network, inputs, drawInputNoise(n, inputs.columns, 1));
    while (drawn.step()) {
    }
    std::vector<double> squares(network.layers.size() + 1), chi;
    for (std::size_t i = 0; i < n; ++i) {
        ValuesAndTangents t{inputs, Matrix(n, inputs.columns)};
        for (std::size_t s = 0; s < inputs.columns; ++s) t.tangents(i, s) = 1;
        for (std::size_t l = 0; l <= network.layers.size(); ++l) {
            if (l > 0) t = withTangents(network.layers[l - 1], t);
            for (const double dx : t.tangents.values) squares[l] += dx * dx / static_cast<double>(t.tangents.values.size());
        }
    }
    for (const std::size_t at : weightLayerStates(network)) {
        const StateMoments &state = drawn.states()[at], &input = drawn.states()[0];
        chi.push_back(std::exp(state.logChi - (state.logMu2Noise - input.logMu2Noise) / 2) * std::sqrt(squares[at] / squares[0]));
    }
    return chi;
}

}  // namespace

TEST_CASE("sensitivity and ranks under the lens are the core's of the same network and samples, to 1e-12") {
    const Seen all = seen({{"samples", "100"}});
    const Matrix inputs = inputsOf(all.report);
    REQUIRE(scalarOf(all.report, "sensitivitySamples") == 100);
    NetworkMoments moments(all.network, inputs, drawInputNoise(2, 100, 1));
    while (moments.step()) {
    }
    std::vector<double> signal, noise;
    for (const std::size_t at : weightLayerStates(all.network)) {
        signal.push_back(moments.states()[at].rankSignal);
        noise.push_back(moments.states()[at].rankNoise);
    }
    checkNear(arrayOf(all.report, "chi").values, chiByColumns(all.network, inputs));
    CHECK(scalarOf(all.report, "noiseDraws") == 0);
    CHECK(arrayOf(all.report, "chi").standardError.empty());
    checkNear(arrayOf(all.report, "rankSignal").values, signal);
    checkNear(arrayOf(all.report, "rankNoise").values, noise);
}

namespace {

Report lensOf(const char* network, Settings settings) {
    settings.insert(settings.end(), {{"network", network}, {"data", "gaussian"}, {"samples", "40"}, {"seed", "5"}, {"budget", "50"}});
    return runChecked("network-lens", settings);
}

/// Distances between points of an image: where the first plane is turned is each scene's own.
std::vector<double> distancesIn(const Array& image) {
    const std::size_t points = image.axes[1].size();
    std::vector<double> distances;
    for (std::size_t l = 0; l < image.axes[0].size(); ++l)
        for (const std::size_t step : {1, 57, 200})
            for (std::size_t i = 0; i + step < points; ++i) {
                const double *a = image.row(l) + 2 * i, *b = a + 2 * step;
                distances.push_back(std::hypot(a[0] - b[0], a[1] - b[1]));
            }
    return distances;
}

}  // namespace

TEST_CASE(
    "capacity of blocks, convolutions and batch norms under the lens is the core's of the same file, and in sum capacity-diffusion's, to "
    "1e-12" *
    doctest::test_suite("long")) {
    std::vector<std::pair<std::string, std::vector<unsigned char>>> files;
    for (const char* id : {"strokes-cnn", "strokes-resnet"}) {
        const auto bytes = sampleNetworkBytes(id);
        files.emplace_back(id, std::vector<unsigned char>(bytes.begin(), bytes.end()));
    }
    const Shape hidden{1, 1, 9};
    const Network normed{
        {1, 1, 4},
        {withNumbers(layerOf<BatchNorm>({1, 1, 4}, {1, 1, 4}), 1), withNumbers(denseLayer(4, 9), 5),
         withNumbers(layerOf<BatchNorm>(hidden, hidden), 9), activationLayer(hidden, Activation::Relu), withNumbers(denseLayer(9, 3), 13)}};
    files.emplace_back("batch norms", writeOnnx(normed));
    for (const auto& file : files) {
        const std::string name = file.first;
        CAPTURE(name);
        Seen all;
        all.file = std::make_shared<Attachment>(Attachment{"own.onnx", file.second});
        const Report lens = single("network-lens", {{"data", "gaussian"}, {"samples", "10"}, {"budget", "5"}, {"unit", "1"}}, all);
        const Report flow = single("capacity-diffusion", {{"top", "dirac"}, {"topIndex", "1"}}, all);
        checkNear(arrayOf(lens, "total").values, arrayOf(flow, "total").values);
        const Network network = readNetwork(file.second, "own.onnx");
        std::vector<double> top(network.output().units());
        top[1] = 1;
        const auto rows = capacityFlow(network, top).capacity;
        const Array& capacity = arrayOf(lens, "capacity");
        REQUIRE(capacity.axes[0].size() == rows.size());
        for (std::size_t l = 0; l < rows.size(); ++l) checkNear({capacity.row(l), capacity.row(l) + rows[l].size()}, rows[l]);
        const Matrix inputs = drawNetworkInput(network, MomentData::White, 10, 1, 0).signal;
        const Array& chi = arrayOf(lens, "chi");
        const bool exact = scalarOf(lens, "noiseDraws") == 0;
        CHECK(exact == chi.standardError.empty());
        CHECK(exact == (name == "batch norms"));
        if (exact) {
            checkNear(chi.values, chiByColumns(network, inputs));
            continue;
        }
        // Of a large network χ is an estimate: thirty other draws of noise leave less error in the mean than it states.
        std::vector<double> squares(chi.values.size());
        for (std::uint64_t draw = 1; draw <= 30; ++draw) {
            NetworkMoments moments(network, inputs, drawInputNoise(inputs.rows, 10, 1, draw), false);
            while (moments.step()) {
            }
            const auto ends = weightLayerStates(network);
            for (std::size_t l = 0; l < ends.size(); ++l) {
                const StateMoments &state = moments.states()[ends[l]], &input = moments.states()[0];
                squares[l] += std::exp(2 * state.logChi + input.logMu2Noise) / 30;
            }
        }
        for (std::size_t l = 0; l < squares.size(); ++l)
            CHECK(std::abs(chi.values[l] - std::sqrt(squares[l])) <= 6 * chi.standardError[l] + 0.01);
    }
}

TEST_CASE("the dense example's curve under the lens is the scene's of trajectory length between the same ends, to 1e-12") {
    for (const char* form : {"line", "arc"}) {
        const Report lens = lensOf("shapes-classifier", {{"trajectory", form}, {"pointA", "3"}, {"pointB", "8"}});
        const auto& chosen = arrayOf(lens, "chosenInputs").values;
        Request request = requestOf("trajectory-length", {{"network", "shapes-classifier"},
                                                          {"trajectory", std::string(form) == "line" ? "line" : "circle"},
                                                          {"span", "90"},
                                                          {"points", "400"},
                                                          {"seed", "5"}});
        request.params.set("ends", std::vector<double>(chosen.begin(), chosen.begin() + 2 * 64));
        const Report alone = runRequest(request);
        CHECK(alone.warnings.empty());
        for (const char* name : {"length", "growth", "pieces", "transitions", "planeShare"}) {
            CAPTURE(std::string(name));
            checkNear(arrayOf(lens, name).values, arrayOf(alone, name).values);
        }
        checkNear(distancesIn(arrayOf(lens, "image")), distancesIn(arrayOf(alone, "image")));
        for (const char* name : {"lengthRatio", "exactLayers"}) checkNear({scalarOf(lens, name)}, {scalarOf(alone, name)});
        const double end = arrayOf(alone, "place").values.back();
        std::vector<double> places;
        for (const double t : arrayOf(alone, "place").values) places.push_back(t / end);
        checkNear(arrayOf(lens, "place").values, places);
    }
}
