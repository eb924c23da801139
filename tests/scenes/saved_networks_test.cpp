#include <doctest/doctest.h>

#include <set>

#include "core/expressivity/curve_layer.h"
#include "core/expressivity/growth_theory.h"
#include "core/io/network_file.h"
#include "core/net/network.h"
#include "support/followed.h"
#include "support/same_network.h"
#include "support/scene_runs.h"

using namespace kappaflow;

namespace {

/// Settings that are quickly computed, where the defaults are not.
Settings quick(const std::string& id) {
    if (id == "training-tradeoff") return {{"samples", "100"}, {"width", "20"}, {"layers", "3"}, {"steps", "60"}, {"arcs", "1"}};
    if (id == "remaining-depth") return {{"samples", "100"}, {"width", "12"}, {"layers", "3"}, {"epochs", "4"}, {"draws", "1"}};
    if (id == "measured-capacity") return {{"samples", "60"}, {"widths", "8"}, {"steps", "30"}, {"at", "30"}};
    if (id == "trajectory-length") return {{"width", "30"}, {"layers", "4"}, {"sweepDraws", "0"}};
    if (id == "transitions") return {{"width", "30"}, {"layers", "4"}, {"widths", "12"}, {"weightVariances", "4"}};
    return {};
}

/// Without what a file leaves out: names and identities.
Network plain(Network network) {
    std::vector<Layer> kept;
    for (Layer& layer : network.layers) {
        if (const auto* f = layer.getIf<Pointwise>(); f && f->activation == Activation::Identity) continue;
        layer.name.clear();
        kept.push_back(std::move(layer));
    }
    network.layers = std::move(kept);
    return network;
}

/// The network of a finished computation, which its file gives back to the bit.
Network saved(const std::string& id, Settings settings) {
    Request request = requestOf(id, settings);
    request.withNetwork = true;
    const Report report = runRequest(request);
    REQUIRE_FALSE(report.networkFile.empty());
    std::vector<std::string> notes;
    Network read = readNetwork(report.networkFile, "saved.onnx", &notes);
    CHECK(notes.empty());
    return plain(std::move(read));
}

Network modelNetwork(const std::string& id, const Settings& settings) {
    Request request = requestOf(id, settings);
    request.withNetwork = true;
    Progress unheard;
    const auto network = openRequest(request)->run(unheard).network;
    REQUIRE(network);
    return plain(*network);
}

}  // namespace

TEST_CASE("every scene that saves its network hands over a file with the same network to the bit, when it is asked to and not before" *
          doctest::test_suite("long")) {
    std::set<std::string> saving;
    for (const Declaration& declaration : declarations()) {
        if (!declaration.savesNetwork) continue;
        CAPTURE(declaration.id);
        saving.insert(declaration.id);
        const Settings settings = quick(declaration.id);
        CHECK(runRequest(requestOf(declaration.id, settings)).networkFile.empty());
        const Network network = saved(declaration.id, settings);
        CHECK(difference(network, modelNetwork(declaration.id, settings)) == "");
        CHECK(forward(network, std::vector<double>(network.input.units(), 0.5)).back().size() == network.output().units());
    }
    CHECK(saving == std::set<std::string>{"activation-regions", "capacity-diffusion", "lower-layers", "measured-capacity", "network-lens",
                                          "remaining-depth", "training-tradeoff", "trajectory-length", "transitions"});
}

TEST_CASE("saving the network of the last request gives the same file, computing nothing where the result has the network anyway" *
          doctest::test_suite("long")) {
    // These make the network that is to be saved only then.
    const std::set<std::string> computed{"activation-regions", "capacity-diffusion", "training-tradeoff",
                                         "remaining-depth",    "network-lens",       "measured-capacity"};
    for (const Declaration& declaration : declarations()) {
        if (!declaration.savesNetwork) continue;
        CAPTURE(declaration.id);
        Request request = requestOf(declaration.id, quick(declaration.id));
        Leftovers leftovers;
        runAfter(request, leftovers);
        request.withNetwork = true;
        const Report whole = runRequest(request);
        request.networkOnly = true;
        Following saving(nullptr, &leftovers);
        const Report alone = runRequest(request, saving);
        if (computed.count(declaration.id) == 0) {
            CHECK(saving.ticks == 0);
            CHECK(alone.arrays.empty());
        }
        CHECK(alone.networkFile == whole.networkFile);
        request.params.set("seed", 77.0);
        Following other(nullptr, &leftovers);
        CHECK_FALSE(runRequest(request, other).arrays.empty());
    }
}

TEST_CASE("networks that trajectories go through are saved as they are drawn or given") {
    const GrowthSetting setting{Activation::LeakyRelu, 0.3, 9, 3, 0.2};
    const Settings drawn{{"width", "9"},   {"layers", "4"}, {"weightVariance", "3"}, {"biasVariance", "0.2"}, {"activation", "leaky-relu"},
                         {"slope", "0.3"}, {"seed", "11"}};
    for (const auto& pair : {std::pair{"trajectory-length", 4}, {"transitions", 5}}) {
        Settings settings = quick(pair.first);  // beside the network: no large sweeps
        settings.insert(settings.end(), drawn.begin(), drawn.end());
        const auto layers = curveLayers(saved(pair.first, settings)),
                   expected = randomLayers(setting, static_cast<std::size_t>(pair.second), 11);
        REQUIRE(layers.size() == expected.size());
        for (std::size_t l = 0; l < layers.size(); ++l) {
            CHECK(sameBits(layers[l].weights, expected[l].weights));
            CHECK(sameBits(layers[l].bias, expected[l].bias));
        }
        CHECK(layers[0].slope == doctest::Approx(0.3).epsilon(1e-7));
        const Network own = plain(readNetwork(sampleNetworkBytes("shapes-classifier"), "shapes-classifier"));
        CHECK(difference(saved(pair.first, {{"network", "shapes-classifier"}}), own) == "");
    }
}

TEST_CASE("a training that is saved is the one at the step that stands out, whether the run begins or is taken over") {
    Settings settings = quick("training-tradeoff");
    settings.emplace_back("at", "21");
    const Network network = saved("training-tradeoff", settings);
    Request request = requestOf("training-tradeoff", settings);
    Leftovers leftovers;
    runAfter(request, leftovers);
    request.withNetwork = true;
    Progress again(&leftovers);
    CHECK(difference(plain(*openRequest(request)->run(again).network), network) == "");
    settings.back().second = "60";
    CHECK(difference(saved("training-tradeoff", settings), network) != "");
    // Step 20 is the one looked at that is nearest to 21.
    settings.back().second = "20";
    CHECK(difference(saved("training-tradeoff", settings), network) == "");
}

TEST_CASE("of remaining depth the network with its second hidden layer trained up to the epoch shown is saved") {
    Settings settings = quick("remaining-depth");
    const Network trained = saved("remaining-depth", settings);
    settings.emplace_back("at", "0");
    const Network drawn = saved("remaining-depth", settings);
    REQUIRE(trained.layers.size() == drawn.layers.size());
    for (std::size_t l = 0; l < drawn.layers.size(); ++l)
        CHECK(sameBits(weightsOf(trained.layers[l]).weights, weightsOf(drawn.layers[l]).weights) == (l != 2));
}
