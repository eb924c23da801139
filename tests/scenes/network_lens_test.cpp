#include <doctest/doctest.h>

#include "core/io/onnx.h"
#include "support/followed.h"
#include "support/networks.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

std::shared_ptr<const Attachment> attached(const char* name, const std::string& text) {
    return std::make_shared<Attachment>(Attachment{name, {text.begin(), text.end()}});
}

Report checkedRun(const Request& request) {
    Report report = runRequest(request);
    checkReport(*findDeclaration("network-lens"), report);
    return report;
}

Report look(const Settings& settings) { return runChecked("network-lens", settings); }

std::string noteOf(const Report& report, const char* part) {
    const std::string* note = report.note(part);
    return note ? *note : "";
}

/// Every lens says something, and those that it names say nothing but a sentence.
void checkLenses(const Report& report, const std::vector<const char*>& silent) {
    for (const auto& lens : {std::pair{"capacity", "capacity"},
                             {"regions", "vertices"},
                             {"trajectory", "length"},
                             {"sensitivity", "chi"},
                             {"measured", "measuredCapacity"}}) {
        const std::string part = lens.first;
        CAPTURE(part);
        const bool expected = std::none_of(silent.begin(), silent.end(), [&](const char* s) { return s == part; });
        CHECK((report.array(lens.second) != nullptr) == expected);
        if (!expected) CHECK(isOneSentence(noteOf(report, part.c_str())));
    }
}

}  // namespace

const SummaryOf kSummary{
    "network-lens",
    {{{"widths", "6,6"}, {"steps", "20"}, {"step", "20"}, {"samples", "60"}},
     {},
     {{"holders", Of::All}, {"chi", Of::All}, {"accuracy", Of::Last}, {"length", Of::All}, {"distanceDecoupled", Of::First}},
     {{"The window falls into", [](const Report& r) { return valueIn(r, "regions") > 1; }},
      {"noise grows", [](const Report& r) { return lastIn(r, "chi") > 0; }}}}};

TEST_CASE("capacity of the opening network is 1 in every state, and its parameters' the number that is left without redundant scales") {
    const Report report = look({});
    CHECK(report.notes.empty());
    CHECK(scalarOf(report, "trainingAccuracy") > 0.95);
    for (const double total : arrayOf(report, "total").values) CHECK(total == doctest::Approx(1).epsilon(1e-12));
    CHECK(scalarOf(report, "parameterCapacity") == 48 + 272 + 272 + 17 - 48);
}

TEST_CASE("capacity along the drawn edges is what leaves one state and arrives in the next") {
    const Report report = look({{"steps", "0"}});
    const auto &from = arrayOf(report, "flowFrom").values, &to = arrayOf(report, "flowTo").values,
               &amount = arrayOf(report, "flowAmount").values;
    const auto& offsets = arrayOf(report, "flowOffsets").values;
    const Array& capacity = arrayOf(report, "capacity");
    REQUIRE(scalarOf(report, "flowBin") == 1);
    for (std::size_t l = 1; l < 5; ++l) {
        std::vector<double> leaves(16), arrives(16);
        for (auto e = static_cast<std::size_t>(offsets[l - 1]); e < static_cast<std::size_t>(offsets[l]); ++e) {
            leaves[static_cast<std::size_t>(from[e])] += amount[e];
            arrives[static_cast<std::size_t>(to[e])] += amount[e];
        }
        for (std::size_t i = 0; i < 16; ++i) {
            if (!std::isnan(capacity.row(l)[i])) CHECK(leaves[i] == doctest::Approx(capacity.row(l)[i]).epsilon(1e-12));
            if (!std::isnan(capacity.row(l - 1)[i])) CHECK(arrives[i] == doctest::Approx(capacity.row(l - 1)[i]).epsilon(1e-12));
        }
    }
}

TEST_CASE("where a lens does not apply a sentence says why, and the others go on" * doctest::test_suite("long")) {
    checkLenses(look({}), {});
    checkLenses(look({{"activation", "tanh"}, {"steps", "0"}}), {"regions"});
    checkLenses(look({{"activation", "pseudo-random"}, {"steps", "0"}}), {"regions", "trajectory", "sensitivity"});
    checkLenses(look({{"layers", "residual"}, {"steps", "0"}}), {});
    checkLenses(look({{"data", "signals"}, {"layers", "conv"}, {"widths", "4,4"}, {"steps", "0"}}), {});
    checkLenses(look({{"data", "gaussian"}, {"inputs", "1"}}), {"regions"});
    checkLenses(look({{"pointA", "3"}, {"pointB", "3"}, {"steps", "0"}}), {"trajectory"});
    checkLenses(look({{"data", "gaussian"}, {"pointA", "3"}, {"pointC", "3"}}), {"regions"});
    const Report large = look({{"network", "strokes-resnet"}, {"data", "gaussian"}, {"budget", "50"}});
    checkLenses(large, {"regions", "measured"});
    CHECK(noteOf(large, "measured").find("the scene measured-capacity allows more work") != std::string::npos);
    CHECK(isOneSentence(noteOf(look({{"data", "gaussian"}}), "training")));
    CHECK(noteOf(look({{"data", "gaussian"}, {"steps", "0"}}), "training").empty());
}

TEST_CASE("a budget of regions leaves out layers, and words count only those of the layers that were cut") {
    const Report report = look({{"budget", "200"}, {"steps", "0"}});
    const double exact = scalarOf(report, "exactThrough");
    REQUIRE(exact == 1);
    CHECK(scalarOf(report, "bendingLayers") == 3);
    CHECK(isOneSentence(noteOf(report, "regions")));
    CHECK(report.summary.find("By the first of 3 bending layers the window falls into " + inWords(scalarOf(report, "regions"), 6)) !=
          std::string::npos);
    const Report none = look({{"budget", "2"}, {"steps", "0"}});
    CHECK(scalarOf(none, "exactThrough") == 0);
    CHECK(none.summary.find("region") == std::string::npos);
}

TEST_CASE("where time or memory ends the cut the note does not blame the budget alone" * doctest::test_suite("long")) {
    const Report memory = look({{"widths", "300,300"}, {"steps", "0"}});
    CHECK(scalarOf(memory, "exactThrough") == 0);
    CHECK(noteOf(memory, "regions").find("memory") != std::string::npos);
    const Report time = look({{"widths", "700,700"}, {"steps", "0"}});
    const double allowed = scalarOf(time, "regionBudget");
    CHECK(allowed < 20000);
    CHECK(noteOf(time, "regions").find(inWords(allowed, 7)) != std::string::npos);
    CHECK(noteOf(look({{"data", "gaussian"}, {"outputs", "65"}}), "regions").find("decision boundary") != std::string::npos);
    CHECK(noteOf(look({{"data", "gaussian"}, {"outputs", "64"}}), "regions").empty());
}

TEST_CASE("notes count layers as the states do, and name the first that is dead") {
    const Report shape =
        look({{"layers", "conv"}, {"data", "signals"}, {"widths", "8,8,8"}, {"edit", "remove"}, {"editLayer", "2"}, {"steps", "0"}});
    REQUIRE(isOneSentence(noteOf(shape, "edit")));
    CHECK(noteOf(shape, "edit").find('3') == std::string::npos);
    const Report dead = look({{"widths", "3,3,3,3,3,3,3,3"}, {"biasVariance", "0"}, {"seed", "2"}, {"steps", "0"}});
    const auto& chi = arrayOf(dead, "chi").values;
    const auto first = std::find_if(chi.begin(), chi.end(), [](double x) { return std::isnan(x); }) - chi.begin();
    REQUIRE(first < 9);
    CHECK(noteOf(dead, "sensitivity") == "Every unit of layer " + std::to_string(first) + " is 0 for every sample.");
}

TEST_CASE("widths that convolutions cannot have are lowered with a warning" * doctest::test_suite("long")) {
    for (const char* widths : {"8,128", "8,64"})
        CHECK(warnsOf(look({{"layers", "conv"}, {"data", "signals"}, {"steps", "0"}, {"widths", widths}}), "64") ==
              (std::string(widths) == "8,128"));
}

TEST_CASE("the window opens on the samples that are chosen, whatever the data are") {
    for (const Settings& settings : {Settings{{"steps", "0"}},
                                     {{"data", "gaussian"}, {"inputs", "2"}},
                                     {{"data", "gaussian"}, {"inputs", "30"}},
                                     {{"data", "digits"}, {"samples", "40"}, {"widths", "8"}, {"steps", "0"}}}) {
        const Report report = look(settings);
        for (const double x : arrayOf(report, "chosenPoints").values) CHECK(std::abs(x) < report.params.number("half"));
    }
}

TEST_CASE("with two inputs samples lie where they are; else the three chosen ones lie in the plane at their own distances") {
    const Report flat = look({{"steps", "0"}, {"trajectory", "arc"}});
    const auto &chosen = arrayOf(flat, "chosenPoints").values, &inputs = arrayOf(flat, "chosenInputs").values;
    CHECK(chosen == inputs);
    const auto& curve = arrayOf(flat, "curve").values;
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(curve[i] == doctest::Approx(chosen[i]).epsilon(1e-14));
        CHECK(curve[curve.size() - 2 + i] == doctest::Approx(chosen[2 + i]).epsilon(1e-12));
    }
    const Report deep = look({{"data", "gaussian"}, {"inputs", "7"}});
    const auto &at = arrayOf(deep, "chosenPoints").values, &x = arrayOf(deep, "chosenInputs").values;
    const auto apart = [](const std::vector<double>& v, std::size_t size, std::size_t a, std::size_t b) {
        double sum = 0;
        for (std::size_t i = 0; i < size; ++i) sum += (v[a * size + i] - v[b * size + i]) * (v[a * size + i] - v[b * size + i]);
        return std::sqrt(sum);
    };
    const double scale = apart(x, 7, 0, 1) / apart(at, 2, 0, 1);
    CHECK(apart(x, 7, 0, 2) == doctest::Approx(scale * apart(at, 2, 0, 2)).epsilon(1e-12));
    CHECK(apart(x, 7, 1, 2) == doctest::Approx(scale * apart(at, 2, 1, 2)).epsilon(1e-12));
    for (const double place : at) CHECK(std::abs(place) <= 0.5 + 1e-12);
}

TEST_CASE("edits that keep the function move none of it; rescaling a chain moves no capacity at all") {
    const Settings drawn{{"steps", "0"}};
    const auto edit = [&](const char* kind, const char* amount) {
        Settings settings = drawn;
        settings.insert(settings.end(), {{"edit", kind}, {"editLayer", "2"}, {"editAmount", amount}});
        return look(settings);
    };
    const Report same = edit("insert", "0"), fresh = edit("insert", "1"), louder = edit("rescale", "8"), bypassed = edit("skip", "1"),
                 wider = edit("widen", "12"), shorter = edit("remove", "0"), frozen = edit("freeze", "0");
    CHECK(scalarOf(same, "moved") < 1e-12);
    CHECK(scalarOf(same, "functionChange") == 0);
    CHECK(scalarOf(louder, "moved") < 1e-12);
    CHECK(scalarOf(louder, "functionChange") > 1);
    CHECK(look({{"steps", "0"}, {"activation", "pseudo-random"}, {"edit", "rescale"}}).scalar("functionChange") == nullptr);
    for (const Report* moved : {&fresh, &bypassed, &wider, &shorter}) {
        CHECK(scalarOf(*moved, "moved") > 1e-4);
        CHECK(scalarOf(*moved, "functionChange") > 0.01);
        CHECK(arrayOf(*moved, "capacity").values.size() == arrayOf(same, "capacity").values.size());
    }
    CHECK(arrayOf(same, "editedUnits").values == std::vector<double>{2, 16, 16, 16, 16, 1});
    CHECK(std::isnan(arrayOf(same, "stateBefore").values[3]));
    CHECK(arrayOf(shorter, "stateBefore").values == std::vector<double>{0, 1, 3, 4});
    CHECK(arrayOf(wider, "editedUnits").values == std::vector<double>{2, 16, 28, 16, 1});
    CHECK(arrayOf(frozen, "editedParameters").values[2] == 0);
    CHECK(scalarOf(frozen, "moved") == 0);
    CHECK(scalarOf(frozen, "editedParameterCapacity") == scalarOf(frozen, "parameterCapacity") - 272 + 32);
    for (const Report* report : {&same, &fresh, &louder, &bypassed, &wider, &shorter, &frozen})
        for (const double total : arrayOf(*report, "editedTotal").values) CHECK(total == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("an edit that cannot be made is a sentence" * doctest::test_suite("long")) {
    for (const Settings& settings :
         {Settings{{"edit", "remove"}, {"editLayer", "4"}}, Settings{{"edit", "widen"}, {"editLayer", "60"}},
          Settings{{"network", "strokes-resnet"}, {"data", "gaussian"}, {"budget", "1"}, {"edit", "widen"}, {"editLayer", "2"}}}) {
        const Report report = look(settings);
        CHECK(isOneSentence(noteOf(report, "edit")));
        CHECK(report.array("editedUnits") == nullptr);
    }
}

TEST_CASE("a reader's own points, images and networks are looked at, and bad ones refused in a sentence") {
    Request request = requestOf("network-lens", {{"data", "file"}, {"steps", "20"}});
    request.data = attached("points.csv", "0,0,a\n1,0,b\n0,1,c\n1,1,a\n2,1,b\n0,2,c\n");
    const Report points = checkedRun(request);
    CHECK(arrayOf(points, "units").values.back() == 3);
    // Standardised, then halved; the accuracy of the sentence is the report's.
    const Array& inputs = arrayOf(points, "chosenInputs");
    CHECK(inputs.values[0] == doctest::Approx(-0.5 * (4.0 / 6) / std::sqrt(6.0 / 6 - 16.0 / 36)).epsilon(1e-12));
    CHECK(points.summary.find(inWords(100 * scalarOf(points, "trainingAccuracy")) + " % of the samples") != std::string::npos);
    CHECK(points.summary.find(inWords(arrayOf(points, "holders").values.front()) + " of 2 inputs") != std::string::npos);
    CHECK(points.summary.find(inWords(scalarOf(points, "lengthRatio")) + " times as long") != std::string::npos);
    for (const auto& bad : {attached("points.csv", "1,2"), attached("images", std::string(40, '\0')), {}}) {
        request.data = bad;
        CHECK(isOneSentence(refusal([&] { runRequest(request); })));
    }
    CHECK(isOneSentence(refusal([] { runRequest(requestOf("network-lens", {{"network", "file"}})); })));
}

TEST_CASE("a network of the reader's is given the reader's points as they are written, in a window that shows them all") {
    Network network{{1, 1, 2}, {}};
    network.layers = {withNumbers(denseLayer(2, 6), 1), activationLayer({1, 1, 6}, Activation::Relu), withNumbers(denseLayer(6, 2), 3)};
    Request request = requestOf("network-lens", {{"network", "file"}, {"data", "file"}, {"pointA", "0"}, {"pointB", "3"}, {"pointC", "4"}});
    request.network = std::make_shared<Attachment>(Attachment{"own.onnx", writeOnnx(network)});
    request.data = attached("points.csv", "100,7,a\n120,8,b\n110,9,a\n101,3,b\n119,8.5,a\n");
    const Report report = checkedRun(request);
    CHECK(arrayOf(report, "chosenInputs").values == std::vector<double>{100, 7, 101, 3, 119, 8.5});
    for (const double x : arrayOf(report, "samplePoints").values) CHECK(std::abs(x) < report.params.number("half"));
    CHECK(arrayOf(report, "samplePoints").axes[0].size() == 5);
    // What a vertex of the regions is said to give is what the network gives where it lies.
    const Array &vertices = arrayOf(report, "vertices"), &output = arrayOf(report, "vertexOutput"),
                &places = arrayOf(report, "chosenPoints");
    const double scale = (119 - 100) / (places.values[4] - places.values[0]);
    for (std::size_t v = 0; v < output.values.size(); ++v) {
        const std::vector<double> x{100 + scale * (vertices.row(v)[0] - places.values[0]),
                                    7 + scale * (vertices.row(v)[1] - places.values[1])};
        CHECK(output.values[v] == doctest::Approx(forward(network, x).back()[0]).epsilon(1e-9));
    }
}

TEST_CASE("a reader's own images train the network, and are shown to a network from a file with a warning") {
    std::vector<unsigned char> bytes{0, 0, 8, 3, 0, 0, 0, 6, 0, 0, 0, 8, 0, 0, 0, 8};
    for (int i = 0; i < 6 * 64; ++i) bytes.push_back(static_cast<unsigned char>(i * 37 % 251));
    bytes.insert(bytes.end(), {0, 0, 8, 1, 0, 0, 0, 6, 0, 1, 2, 0, 1, 2});
    Request request = requestOf("network-lens", {{"data", "file"}, {"steps", "5"}, {"widths", "7"}});
    request.data = std::make_shared<Attachment>(Attachment{"images", bytes});
    const Report drawn = checkedRun(request);
    CHECK(arrayOf(drawn, "units").values == std::vector<double>{64, 7, 3});
    CHECK(scalarOf(drawn, "trainedSteps") == 5);
    CHECK(scalarOf(drawn, "sampleCount") == 6);
    for (const double x : arrayOf(drawn, "chosenPoints").values) CHECK(std::abs(x) < drawn.params.number("half"));
    Network network{{1, 8, 8}, {}};
    network.layers = {layerOf<Flatten>({1, 8, 8}, {1, 1, 64}), withNumbers(denseLayer(64, 2), 3)};
    request.params.set("network", std::string("file"));
    request.network = std::make_shared<Attachment>(Attachment{"own.onnx", writeOnnx(network)});
    const Report given = runRequest(request);
    CHECK(warnsOf(given, "mean 0"));
    CHECK_FALSE(warnsOf(given, "Gaussian samples"));
    CHECK(arrayOf(given, "units").values == std::vector<double>{64, 2});
}

TEST_CASE("unfinished results have as many numbers as their axes span, for every sample network" * doctest::test_suite("long")) {
    int looked = 0;
    for (const char* network : {"", "shapes-classifier", "strokes-cnn", "strokes-resnet"}) {
        const Report whole = follow(requestOf("network-lens", {{"network", network}}), [&](const Report& partial, double) {
            ++looked;
            for (const Array& array : partial.arrays) {
                std::size_t cells = 1;
                for (const Axis& axis : array.axes) cells *= axis.size();
                if (cells != array.values.size()) FAIL_CHECK(std::string(network) << ": " << array.name);
            }
        });
        CHECK(whole.status == Status::Ok);
    }
    CHECK(looked > 15);
}
