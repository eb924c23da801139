// What an edit makes of a network, and which states of both networks are laid over each other.
#include <doctest/doctest.h>

#include "core/io/onnx.h"
#include "support/complete_set.h"
#include "support/random_networks.h"
#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

Report lookAt(const Network& network, Settings settings) {
    settings.insert(settings.end(), {{"network", "file"}, {"data", "gaussian"}, {"samples", "10"}, {"budget", "5"}});
    Request request = requestOf("network-lens", settings);
    request.network = std::make_shared<Attachment>(Attachment{"network.onnx", writeOnnx(network)});
    Report report = runRequest(request);
    checkReport(*findDeclaration("network-lens"), report);
    return report;
}

Settings edit(const std::string& kind, const std::string& layer) { return {{"edit", kind}, {"editLayer", layer}}; }

/// Batch norm – dense – ReLU – dense – ReLU – dense.
Network normedChain() {
    const Shape in{1, 1, 3}, hidden{1, 1, 5};
    return {in,
            {withNumbers(layerOf<BatchNorm>(in, in), 1), withNumbers(denseLayer(3, 5), 5), activationLayer(hidden, Activation::Relu),
             withNumbers(denseLayer(5, 5), 9), activationLayer(hidden, Activation::Relu), withNumbers(denseLayer(5, 2), 13)}};
}

/// Every state of the edited network has a place, kept ones stand in their order and have as many units as before.
void checkStates(const Report& plain, const Report& edited, bool widened) {
    const auto &before = arrayOf(edited, "stateBefore").values, &units = arrayOf(edited, "editedUnits").values,
               &were = arrayOf(plain, "units").values;
    REQUIRE(before.size() == units.size());
    CHECK(arrayOf(edited, "editedTotal").values.size() == units.size());
    CHECK(before.front() == 0);
    double last = -1;
    for (std::size_t l = 0; l < before.size(); ++l) {
        if (std::isnan(before[l])) continue;
        CHECK(before[l] > last);
        last = before[l];
        REQUIRE(last < static_cast<double>(were.size()));
        if (!widened) CHECK(units[l] == were[static_cast<std::size_t>(last)]);
    }
}

}  // namespace

TEST_CASE("a skip beside a batch norm leaves every state its place, and the norm that the block cuts off is new") {
    const Report report = lookAt(normedChain(), edit("skip", "1"));
    const auto& before = arrayOf(report, "stateBefore").values;
    REQUIRE(before.size() == 5);
    CHECK(arrayOf(report, "editedUnits").values == std::vector<double>{3, 3, 5, 5, 2});
    CHECK(std::isnan(before[1]));
    CHECK(std::vector<double>{before[0], before[2], before[3], before[4]} == std::vector<double>{0, 1, 2, 3});
}

TEST_CASE("whatever is edited in networks of all kinds of layers, kept states are laid over their own" * doctest::test_suite("long")) {
    RandomNetworks networks(7, true);
    int made = 0, norms = 0;
    for (int n = 0; n < (completeSet() ? 60 : 25); ++n) {
        const Network network = networks.next();
        CAPTURE(n);
        const Report plain = lookAt(network, {});
        for (const char* kind : {"insert", "remove", "widen", "rescale", "freeze", "skip"})
            for (std::size_t layer = 1; layer < arrayOf(plain, "units").values.size(); ++layer) {
                CAPTURE(kind);
                CAPTURE(layer);
                const Report report = lookAt(network, edit(kind, std::to_string(layer)));
                if (!report.array("stateBefore")) {
                    CHECK(isOneSentence(*report.note("edit")));
                    continue;
                }
                ++made;
                norms += std::any_of(network.layers.begin(), network.layers.end(), [](const Layer& l) { return l.is<BatchNorm>(); });
                checkStates(plain, report, std::string(kind) == "widen");
            }
    }
    CHECK(made > (completeSet() ? 100 : 40));
    CHECK(norms > (completeSet() ? 30 : 12));
}

TEST_CASE("under every lens the layers are those of the edited network, hidden ones and the output told apart") {
    for (const char* kind : {"insert", "remove", "skip", "widen"}) {
        CAPTURE(kind);
        Settings settings = edit(kind, "2");
        settings.insert(settings.end(), {{"steps", "0"}, {"editAll", "true"}});
        const Report report = runChecked("network-lens", settings);
        const auto& units = arrayOf(report, "units").values;
        CHECK(units == arrayOf(report, "editedUnits").values);
        for (const char* name : {"channels", "heights", "columns", "parameters", "chi"})
            CHECK_MESSAGE(arrayOf(report, name).values.size() == units.size(), name);
        if (std::string(kind) != "skip") CHECK(arrayOf(report, "length").values.size() == units.size());
        // The last bend is that of the last hidden layer.
        CHECK(arrayOf(report, "stateOfDepth").values.back() == static_cast<double>(units.size()) - 2);
    }
}
