#include <doctest/doctest.h>

#include <cmath>

#include "core/io/network_file.h"
#include "core/io/onnx.h"
#include "scenes/one_network/measured_capacity_model.h"
#include "support/followed.h"
#include "support/report_cache.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;
using namespace kappaflow::measured_capacity;

namespace {

const Settings kSmall{{"widths", "8,6"}, {"samples", "60"}, {"steps", "30"}, {"side", "4"}};

Settings with(const char* key, const char* value, Settings settings = kSmall) {
    settings.emplace_back(key, value);
    return settings;
}

double errorIn(const Report& r, const char* name) {
    const Scalar* scalar = r.scalar(name);
    return scalar ? scalar->standardError.value_or(0) : std::nan("");
}
Estimate estimateIn(const Report& r, const char* name) { return {valueIn(r, name), errorIn(r, name), 1}; }
bool saysNearer(const Report& r, const char* words) {
    return nearerInWords(estimateIn(r, "decoupledLast"), estimateIn(r, "channelLast")) == words;
}

Request fileRequest(Settings settings, const std::string& text) {
    Request request = requestOf("measured-capacity", settings);
    request.params.set("data", std::string("file"));
    request.data = std::make_shared<Attachment>(Attachment{"points.csv", {text.begin(), text.end()}});
    return request;
}

std::string circleTable(int samples) {
    std::string text = "x,y,class\n";
    for (int i = 0; i < samples; ++i)
        text += std::to_string(std::cos(i)) + "," + std::to_string(std::sin(i)) + "," + (std::cos(i) > 0 ? "right" : "left") + "\n";
    return text;
}

}  // namespace

const SummaryOf kSummary{
    "measured-capacity",
    {{{"widths", "8,6"}, {"samples", "60"}, {"steps", "30"}, {"side", "4"}},
     {{{"activation", "tanh"}, {"samples", "400"}},
      {{"samples", "400"}, {"steps", "200"}},
      {{"network", "shapes-classifier"}},
      {{"diagonal", "true"}}},
     {{"layerUnits", Of::First}},
     {{"D = P∘P is nearer", [](const Report& r) { return saysNearer(r, "D = P∘P is nearer"); }},
      {"the channel is nearer", [](const Report& r) { return saysNearer(r, "the channel is nearer"); }},
      {"neither is nearer by two errors", [](const Report& r) { return saysNearer(r, "neither is nearer by two errors"); }}}}};

TEST_CASE("measured-capacity: which rule is nearer is said beyond two errors of both alone") {
    CHECK(nearerInWords({0.1, 0.03, 1}, {0.3, 0.04, 1}) == "D = P∘P is nearer");
    CHECK(nearerInWords({0.3, 0.03, 1}, {0.1, 0.04, 1}) == "the channel is nearer");
    CHECK(nearerInWords({0.3, 0.03, 1}, {0.21, 0.04, 1}) == "neither is nearer by two errors");
}

TEST_CASE("measured-capacity: five looks a decade, none hangs on how long the run is") {
    CHECK(lookedAt(30) == std::vector<std::uint64_t>{0, 10, 16, 25, 30});
    CHECK(lookedAt(100) == std::vector<std::uint64_t>{0, 10, 16, 25, 40, 63, 100});
    CHECK(shownLook({0, 10, 16}, 12) == 1);
    CHECK(shownLook({0, 10, 16}, 1e4) == 2);
}

TEST_CASE("measured-capacity: shares sum to 1 at every layer, distances are between them, all scalars are the inputs'") {
    for (const char* diagonal : {"false", "true"}) {
        const Report r = runChecked("measured-capacity", with("diagonal", diagonal));
        const Array &measured = arrayOf(r, "measured"), &decoupled = arrayOf(r, "decoupled"), &channel = arrayOf(r, "channel"),
                    &toDecoupled = arrayOf(r, "toDecoupled"), &toChannel = arrayOf(r, "toChannel"), &byError = arrayOf(r, "byError");
        const std::vector<double> widths = arrayOf(r, "layerUnits").values;
        CHECK(widths == std::vector<double>{16, 8, 6});
        CHECK(measured.axes[0].values == std::vector<double>{0, 10, 16, 25, 30});
        for (std::size_t row = 0; row < 15; ++row) {
            double sums[3] = {}, distances[2] = {}, errors = 0;
            const auto units = static_cast<std::size_t>(widths[row % 3]);
            for (std::size_t i = 0; i < 16; ++i) {
                const std::size_t at = row * 16 + i;
                CHECK(std::isnan(measured.values[at]) == (i >= units));
                if (i >= units) continue;
                sums[0] += measured.values[at], sums[1] += decoupled.values[at], sums[2] += channel.values[at];
                distances[0] += std::abs(measured.values[at] - decoupled.values[at]) / 2;
                distances[1] += std::abs(measured.values[at] - channel.values[at]) / 2;
                errors += measured.standardError[at] / std::sqrt(2 * 3.14159265358979324);
            }
            for (const double sum : sums) CHECK(sum == doctest::Approx(1));
            CHECK(toDecoupled.values[row] == doctest::Approx(distances[0]).epsilon(1e-9));
            CHECK(toChannel.values[row] == doctest::Approx(distances[1]).epsilon(1e-9));
            CHECK(byError.values[row] == doctest::Approx(errors));
            // The last hidden layer carries the direction itself: there both rules are exact.
            if (row % 3 == 2) CHECK(toChannel.values[row] < 1e-12);
        }
        CHECK(scalarOf(r, "decoupledFirst") == toDecoupled.values[0]);
        CHECK(scalarOf(r, "decoupledLast") == toDecoupled.values[12]);
        CHECK(scalarOf(r, "channelLast") == toChannel.values[12]);
        CHECK(errorIn(r, "channelLast") == toChannel.standardError[12]);
        CHECK(scalarOf(r, "pairsSeen") == 60 * 59 / 2);
        CHECK(arrayOf(r, "loss").values.back() < arrayOf(r, "loss").values.front());
    }
}

TEST_CASE("measured-capacity: a row is what the saved network of that step gives on the same samples") {
    Request request = requestOf("measured-capacity", with("at", "16", with("unit", "2", with("biases", "true"))));
    request.withNetwork = true;
    const Report report = runRequest(request);
    const Network network = readNetwork(report.networkFile, "saved.onnx");
    Opened<Params> opened;
    std::vector<std::string> warnings;
    bindParams(kScene, completeValues(*findDeclaration("measured-capacity"), request.params, warnings), &opened.params);
    const measuring::Look look = measuring::lookAt(network, samplesFor(opened).inputs, lookSpec(opened.params), [](double) {});
    const Array &measured = arrayOf(report, "measured"), &nu = arrayOf(report, "nu"), &c = arrayOf(report, "coactivation");
    REQUIRE(measured.axes[0].values[2] == 16);
    for (std::size_t l = 0; l < 3; ++l)
        for (std::size_t i = 0; i < look.layers[l].measured.size(); ++i)
            CHECK(measured.row(2)[l * 16 + i] == doctest::Approx(look.layers[l].measured[i]).epsilon(1e-9));
    for (std::size_t l = 0; l < 2; ++l) {
        CHECK(nu.row(2)[l] == doctest::Approx(look.gates[l].nu).epsilon(1e-9));
        CHECK(c.row(2)[l * 64 + 1] == doctest::Approx(look.gates[l].coactivation(0, 1)).epsilon(1e-9));
    }
}

TEST_CASE("measured-capacity: more steps and another output go on from the training made, to the bit; a stopped run as well") {
    const Request few = requestOf("measured-capacity", kSmall), many = requestOf("measured-capacity", with("steps", "41")),
                  other = requestOf("measured-capacity", with("unit", "3"));
    const Report anew = runRequest(many), otherAnew = runRequest(other), fewAnew = runRequest(few);
    Leftovers leftovers;
    checkSameReports(runAfter(few, leftovers), fewAnew);
    checkSameReports(runAfter(many, leftovers), anew);
    checkSameReports(runAfter(other, leftovers), otherAnew);
    checkSameReports(runAfter(few, leftovers), fewAnew);
    for (const int stop : {3, 20, 60}) {
        Leftovers some;
        breakOff(few, some, stop);
        checkSameReports(runAfter(many, some), anew);
    }
    CHECK(arrayOf(runAfter(requestOf("measured-capacity", with("seed", "2")), leftovers), "measured").values !=
          arrayOf(anew, "measured").values);
}

TEST_CASE("measured-capacity: trained networks are measured as they are; without dense layers throughout there is no channel" *
          doctest::test_suite("long")) {
    const Report dense = runChecked("measured-capacity", {{"network", "shapes-classifier"}, {"samples", "60"}});
    CHECK(arrayOf(dense, "measured").axes[0].values == std::vector<double>{0});
    CHECK(arrayOf(dense, "layerUnits").values == std::vector<double>{64, 32, 24, 16});
    CHECK(dense.scalar("channelLast"));
    for (const char* network : {"strokes-cnn", "strokes-resnet"}) {
        const Report r = runChecked("measured-capacity", {{"network", network}, {"samples", "20"}, {"pairs", "1000"}});
        CHECK(arrayOf(r, "layerUnits").values[0] == 576);
        CHECK_FALSE(r.scalar("channelLast"));
        CHECK(scalarOf(r, "decoupledLast") > 0);
        double sum = 0;
        for (std::size_t i = 0; i < 576; ++i) sum += arrayOf(r, "measured").values[i];
        CHECK(sum == doctest::Approx(1));
    }
}

TEST_CASE("measured-capacity: pairs are drawn beyond the most allowed; signals and files have inputs of their own") {
    const Report some = runChecked("measured-capacity", with("pairs", "1000"));
    CHECK(scalarOf(some, "pairsSeen") == 960);
    CHECK(scalarOf(some, "allPairs") == 1770);
    CHECK(arrayOf(runChecked("measured-capacity", with("data", "signals")), "layerUnits").values[0] == 24);
    const Report r = runRequest(fileRequest(kSmall, circleTable(40)));
    checkReport(*findDeclaration("measured-capacity"), r);
    CHECK(arrayOf(r, "layerUnits").values[0] == 2);
    CHECK(scalarOf(r, "samplesSeen") == 40);
}

TEST_CASE("measured-capacity: what cannot be measured is refused in a sentence") {
    const auto refused = [](const Request& request) { return isOneSentence(refusal([&] { runRequest(request); })); };
    CHECK(refused(fileRequest(kSmall, circleTable(2))));
    CHECK(refused(fileRequest({{"network", "shapes-classifier"}}, circleTable(40))));
    CHECK(warnsOf(runRequest(requestOf("measured-capacity", {{"network", "shapes-classifier"}, {"data", "signals"}, {"samples", "30"}})),
                  "measured on digits"));
    // An output beyond the last is the last one.
    const Report beyond = runChecked("measured-capacity", with("unit", "99")), last = runChecked("measured-capacity", with("unit", "9"));
    CHECK(arrayOf(beyond, "toDecoupled").values == arrayOf(last, "toDecoupled").values);
}

/// A network that is given: inputs of a shape, one hidden layer, two outputs.
Opened<Params> givenNetwork(Shape input, const char* data) {
    Network network{input, {}};
    for (const int units : {6, 0, 2}) {
        const Shape before = network.output(), after = units > 0 ? Shape{1, 1, units} : before;
        Layer layer{before, after, Dense{}};
        if (units == 0) layer = {before, after, Pointwise{.activation = Activation::Relu}};
        network.layers.push_back(std::move(layer));
    }
    initialise(network, {Initialiser::He}, 3);
    Opened<Params> opened;
    opened.params.network = "file", opened.params.data = data, opened.params.samples = 40;
    opened.network = std::make_shared<const Network>(std::move(network));
    return opened;
}

TEST_CASE("measured-capacity: digits are brought to a network's own pixels, the same in every colour, their means kept") {
    const Opened<Params> large = givenNetwork({3, 35, 56}, "digits"), small = givenNetwork({1, 1, 49}, "signals");
    REQUIRE(sourceOf(large) == Source::Digits);
    REQUIRE(sourceOf(small) == Source::Digits);
    const Matrix fine = samplesFor(large).inputs, coarse = samplesFor(small).inputs;
    REQUIRE(fine.rows == 3 * 35 * 56);
    REQUIRE(coarse.rows == 49);
    for (std::size_t s = 0; s < fine.columns; ++s) {
        double mean = 0, coarseMean = 0;
        for (std::size_t i = 0; i < 49; ++i) coarseMean += coarse(i, s) / 49;
        for (std::size_t i = 0; i < 35 * 56; ++i) {
            mean += fine(i, s) / (35 * 56);
            CHECK((fine(i, s) == fine(i + 35 * 56, s) && fine(i, s) == fine(i + 2 * 35 * 56, s)));
        }
        CHECK(mean == doctest::Approx(coarseMean).epsilon(1e-9));
        // Where 35 × 56 pixels are joined to 7 × 7, each is what the same digit averaged down at once has there.
        for (std::size_t i = 0; i < 49; ++i) {
            double joined = 0;
            for (std::size_t y = 0; y < 5; ++y)
                for (std::size_t x = 0; x < 8; ++x) joined += fine((i / 7 * 5 + y) * 56 + i % 7 * 8 + x, s) / 40;
            CHECK(joined == doctest::Approx(coarse(i, s)).epsilon(1e-9));
        }
    }
}

TEST_CASE("measured-capacity: a network whose inputs are no image is measured on standard normal inputs, and says so") {
    const Opened<Params> opened = givenNetwork({2, 1, 25}, "digits");
    REQUIRE(sourceOf(opened) == Source::Normal);
    const Matrix inputs = samplesFor(opened).inputs;
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < inputs.rows; ++i)
        for (std::size_t s = 0; s < inputs.columns; ++s) mean += inputs(i, s) / 2000, square += inputs(i, s) * inputs(i, s) / 2000;
    CHECK(std::abs(mean) < 4 / std::sqrt(2000.0));
    CHECK(std::abs(square - 1) < 4 * std::sqrt(2 / 2000.0));
    Request request = requestOf("measured-capacity", {{"network", "file"}, {"samples", "40"}});
    request.network = std::make_shared<Attachment>(Attachment{"sequence.onnx", writeOnnx(*opened.network)});
    const Report r = runRequest(request);
    checkReport(*findDeclaration("measured-capacity"), r);
    CHECK(arrayOf(r, "layerUnits").values[0] == 50);
    CHECK(warnsOf(r, "standard normal inputs"));
}

TEST_CASE("measured-capacity: a run that diverges is measured where it stopped") {
    Request request = requestOf("measured-capacity", kSmall);
    std::vector<std::string> warnings;
    request.params = completeValues(*findDeclaration("measured-capacity"), request.params, warnings);
    request.params.set("learningRate", 1e20);
    Leftovers leftovers;
    Progress unheard(&leftovers);
    unheard.begin(request.scene, nullptr);
    const Report r = modelOf(request.scene).open(request)->run(unheard).report;
    CHECK(scalarOf(r, "steps") < 30);
    CHECK_FALSE(r.warnings.empty());
}

TEST_CASE("what the presets of measured-capacity say holds in their reports" * doctest::test_suite("long")) {
    const auto distances = [](const Settings& settings) {
        const Report& r = reportOf(requestOf("measured-capacity", settings));
        // Of a layer at the last step.
        return [&r](const char* name, std::size_t layer) {
            const Array* array = r.array(name);
            REQUIRE(array);
            const std::size_t layers = array->rowLength();
            return array->values[array->values.size() - layers + layer];
        };
    };
    const auto hidden = distances({});
    CHECK(hidden("toChannel", 1) < hidden("byError", 1));
    CHECK(hidden("toDecoupled", 1) == doctest::Approx(0.3).epsilon(0.1));
    const auto four = distances({{"widths", "24,24,24,24"}});
    for (std::size_t layer = 0; layer < 3; ++layer) CHECK(four("toChannel", layer) > four("toChannel", layer + 1));
    CHECK(four("toDecoupled", 0) < four("toChannel", 0));
    const Report& tanh = reportOf(requestOf("measured-capacity", {{"activation", "tanh"}}));
    for (const double nu : tanh.array("nu")->values) CHECK(nu > 0.89);
    const std::size_t layers = tanh.array("toChannel")->rowLength();
    for (std::size_t i = 0; i < tanh.array("toChannel")->values.size(); ++i)
        if (i % layers + 1 < layers) CHECK(tanh.array("toChannel")->values[i] < tanh.array("toDecoupled")->values[i]);
    const auto signals = distances({{"data", "signals"}});
    CHECK(signals("toDecoupled", 0) < 0.16);
    CHECK(signals("toChannel", 0) < 0.16);
    CHECK(signals("byError", 0) == doctest::Approx(0.06).epsilon(0.09));
    const auto classifier = distances({{"network", "shapes-classifier"}});
    for (const char* rule : {"toDecoupled", "toChannel"}) CHECK(classifier(rule, 0) == doctest::Approx(0.06).epsilon(0.09));
    CHECK(classifier("byError", 0) == doctest::Approx(0.05).epsilon(0.1));
    CHECK(distances({{"network", "strokes-cnn"}})("toDecoupled", 0) == doctest::Approx(0.6).epsilon(0.1));
}
