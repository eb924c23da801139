#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "support/followed.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

using Settings = std::vector<std::pair<std::string, Value>>;

const Declaration& scene() { return *findDeclaration("lower-layers"); }
Request requestFor(const Settings& settings) { return requestWith(scene(), settings); }
Report run(const Settings& settings) { return runRequest(requestFor(settings)); }

/// Of an array whose first axis is the activations.
std::size_t indexOf(const Array& byActivation, const std::string& key) {
    const auto& keys = byActivation.axes[0].keys;
    const auto found = std::find(keys.begin(), keys.end(), key);
    REQUIRE_MESSAGE(found != keys.end(), key);
    return static_cast<std::size_t>(found - keys.begin());
}

double of(const Report& report, const char* name, const std::string& key) {
    const Array& values = arrayOf(report, name);
    return values.values[indexOf(values, key)];
}

const char* const kTwoSlopes[] = {"leaky-relu", "relu", "abs"};
const char* const kBounded[] = {"tanh", "hard-tanh", "sigmoid"};

}  // namespace

const SummaryOf kSummary{"lower-layers",
                         {{{"inputsTried", "400"}}, {}, {{"rank", Of::All}, {"functionRank", Of::All}, {"sectors", Of::All}}, {}}};

TEST_CASE("the rank predicted from the widths is the sampled one, for every activation and several shapes" * doctest::test_suite("long")) {
    for (const Settings& settings : std::vector<Settings>{{{"architecture", "3-4-1"}},
                                                          {{"architecture", "4-2-3"}},
                                                          {{"architecture", "5-2-2-4"}},
                                                          {{"architecture", "3-5-2"}},
                                                          {{"architecture", "1-3-1"}, {"layer", "convolution"}, {"taps", 3.0}},
                                                          {{"architecture", "1-1-1-1"}, {"layer", "convolution"}}}) {
        const Report report = run(settings);
        INFO(report.summary);
        const Array& predicted = arrayOf(report, "predictedRank");
        for (std::size_t k = 0; k < predicted.values.size(); ++k) {
            const std::string& key = predicted.axes[0].keys[k];
            INFO(key);
            // A ReLU may be dead; the deeper shapes say so elsewhere.
            if (key == "relu") continue;
            CHECK(arrayOf(report, "functionRank").values[k] == predicted.values[k]);
        }
    }
}

TEST_CASE("each input adds at most its outputs to the rank, of a tanh network exactly them until all weights are used") {
    for (const char* architecture : {"3-4-1", "3-4-2"}) {
        const Report report = run({{"architecture", architecture}});
        const Array& growth = arrayOf(report, "rankByInputs");
        const auto& inputs = growth.axes[1].values;
        const double outputs = arrayOf(report, "widths").values.back();
        REQUIRE(inputs.size() > 10);
        for (const auto& key : growth.axes[0].keys) {
            CAPTURE(key);
            const double* ranks = growth.row(indexOf(growth, key));
            CHECK(std::is_sorted(ranks, ranks + inputs.size()));
            CHECK(ranks[inputs.size() - 1] == of(report, "functionRank", key));
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                CHECK(ranks[i] <= inputs[i] * outputs);
                if (key == "tanh") CHECK(ranks[i] == std::min(inputs[i] * outputs, scalarOf(report, "parameters")));
            }
        }
    }
}

TEST_CASE("scaling a hidden unit leaves the output of two slopes and of the identity alone, and moves that of the others") {
    for (const Settings& settings : std::vector<Settings>{{{"architecture", "3-4-3-2"}, {"inputsTried", 50.0}},
                                                          {{"architecture", "1-2-2-1"}, {"layer", "convolution"}, {"inputsTried", 50.0}}}) {
        const Report report = run(settings);
        const Array &change = arrayOf(report, "outputChange"), &output = arrayOf(report, "outputAlongScale");
        const std::size_t units = change.rowLength(), factors = output.axes[2].size(), places = output.axes[3].size();
        CHECK(static_cast<double>(units) == scalarOf(report, "hiddenUnits"));
        for (const char* key : {"leaky-relu", "relu", "abs", "identity"})
            for (std::size_t u = 0; u < units; ++u) CHECK(change.row(indexOf(change, key))[u] < 1e-13);
        for (const char* key : kBounded)
            for (std::size_t u = 0; u < units; ++u) CHECK(change.row(indexOf(change, key))[u] > 1e-3);
        // The curve at factor 1 is the network's own, whichever unit is scaled; at another factor it is not, for tanh.
        const double* tanh = output.row(indexOf(output, "tanh"));
        double moved = 0;
        for (std::size_t i = 0; i < places; ++i) {
            for (std::size_t u = 1; u < units; ++u) CHECK(tanh[(u * factors + 4) * places + i] == tanh[4 * places + i]);
            moved = std::max(moved, std::abs(tanh[i] - tanh[4 * places + i]));
        }
        CHECK(moved > 1e-3);
    }
}

TEST_CASE("a hard tanh that never saturates costs at least one weight, alone just one; all of them make the network linear" *
          doctest::test_suite("long")) {
    int alone = 0;
    for (double seed = 1; seed <= 12; ++seed)
        for (const double deviation : {0.25, 0.35, 0.5, 1.0}) {
            const Report report = run({{"activation", "hard-tanh"}, {"inputDeviation", deviation}, {"seed", seed}});
            const double stuck = arrayOf(report, "onePieceUnits").values[0], rank = arrayOf(report, "functionRank").values[0];
            CAPTURE(stuck);
            CHECK(rank <= 16 - stuck);
            if (deviation == 1.0 && stuck == 0) CHECK(rank == 16);
            alone += stuck == 1 && rank == 15;
        }
    CHECK(alone >= 1);
    const Report small = run({{"activation", "hard-tanh"}, {"inputDeviation", 0.1}});
    CHECK(arrayOf(small, "onePieceUnits").values[0] == 4);
    CHECK(arrayOf(small, "functionRank").values[0] == 3);
    CHECK(arrayOf(small, "predictedRank").values[0] == 16);
}

TEST_CASE("each sector adds at most as many directions as there are inputs, and networks fall short with and without a stuck unit" *
          doctest::test_suite("long")) {
    int fewerThanPaths = 0, withoutStuckUnit = 0;
    for (const char* architecture : {"2-3-1", "2-4-4-1", "2-3-3-1", "3-4-3-1"})
        for (double seed = 1; seed <= 10; ++seed) {
            const Report report = run({{"architecture", architecture}, {"seed", seed}, {"inputsTried", 3000.0}});
            for (const char* key : kTwoSlopes) {
                const double rank = of(report, "functionRank", key), paths = of(report, "rank", key), sectors = of(report, "sectors", key);
                CHECK(rank <= (architecture[0] - '0') * sectors);
                CHECK(sectors >= 1);
                fewerThanPaths += rank < paths;
                withoutStuckUnit += rank < paths && of(report, "onePieceUnits", key) == 0;
            }
            CHECK(of(report, "sectors", "identity") == 1);
            CHECK(std::isnan(of(report, "sectors", "tanh")));
        }
    // A unit that never passes its kink is neither needed for a shortfall nor the word for one.
    CHECK(fewerThanPaths > withoutStuckUnit);
    CHECK(withoutStuckUnit >= 3);
    // Two units of two inputs: four sectors.
    CHECK(of(run({{"architecture", "2-2-1"}}), "sectors", "relu") == 4);
}

TEST_CASE("networks short of their paths say so, by how much, and how many sectors there are") {
    int shortOfPaths = 0;
    for (double seed = 1; seed <= 8; ++seed) {
        const Report report = run({{"architecture", "2-3-3-3-1"}, {"seed", seed}, {"inputsTried", 1000.0}, {"activation", "relu"}});
        const double sampled = arrayOf(report, "functionRank").values[0], paths = arrayOf(report, "rank").values[0];
        CHECK(paths == 18);
        CHECK(sampled <= paths);
        if (sampled == paths) continue;
        ++shortOfPaths;
        CHECK(report.summary.find("ReLU is " + inWords(paths - sampled) + " short") != std::string::npos);
        CHECK(report.summary.find("the " + inWords(arrayOf(report, "sectors").values[0], 6) + " sector") != std::string::npos);
    }
    CHECK(shortOfPaths >= 1);
}

TEST_CASE("with a single input a two-slope network has two numbers to give, an even one only one, fewer than its paths count") {
    const Report report = run({{"architecture", "1-4-1"}});
    for (const char* key : kTwoSlopes) CHECK(of(report, "rank", key) == 4);
    CHECK(of(report, "functionRank", "leaky-relu") == 2);
    CHECK(of(report, "functionRank", "relu") <= 2);
    CHECK(of(report, "functionRank", "abs") == 1);
    CHECK(of(report, "functionRank", "tanh") == 8);
    CHECK(report.summary.find("leaky ReLU is 2 short of its paths") != std::string::npos);
}

TEST_CASE("a leaky ReLU of slope 1 is the identity, of slope −1 the absolute value") {
    for (const auto& [slope, other] : std::vector<std::pair<double, std::string>>{{1, "identity"}, {-1, "abs"}}) {
        const Report report = run({{"slope", slope}});
        for (const char* name : {"rank", "functionRank", "predictedRank"}) CHECK(of(report, name, "leaky-relu") == of(report, name, other));
    }
}

TEST_CASE("the sampled rank depends on neither seed nor number of inputs once they are enough") {
    for (const auto& [key, value] : Settings{{"seed", 2.0}, {"seed", 3.0}, {"inputsTried", 300.0}, {"inputDeviation", 3.0}}) {
        const Report report = run({{key, value}});
        for (const char* two : kTwoSlopes) CHECK(of(report, "functionRank", two) == 12);
        for (const char* bounded : {"tanh", "sigmoid"}) CHECK(of(report, "functionRank", bounded) == 16);
        CHECK(of(report, "functionRank", "identity") == 3);
    }
}

TEST_CASE("one activation alone gives the numbers it has beside the others") {
    const Report all = run({});
    for (const auto& key : arrayOf(all, "rank").axes[0].keys) {
        const Report alone = run({{"activation", key}});
        for (const char* name : {"rank", "functionRank", "predictedRank", "outputAlongScale", "singularValues"}) {
            const Array &one = arrayOf(alone, name), &every = arrayOf(all, name);
            CHECK(one.axes[0].keys == std::vector<std::string>{key});
            const double* row = every.row(indexOf(every, key));
            for (std::size_t i = 0; i < one.values.size(); ++i) CHECK(one.values[i] == row[i]);
        }
    }
}

TEST_CASE("weights are listed with their ends, and given as a network on request") {
    Request request = requestFor({{"architecture", "1-2-3-1"}, {"layer", "convolution"}, {"taps", 3.0}, {"inputsTried", 50.0}});
    request.withNetwork = true;
    const Report report = runRequest(request);
    std::vector<double> weights;
    for (const auto& layer : report.network) weights.insert(weights.end(), layer.weights.begin(), layer.weights.end());
    CHECK(arrayOf(report, "weights").values == weights);
    REQUIRE(report.network.size() == 3);
    CHECK(report.network[1].shape == std::vector<std::size_t>{3, 2, 3});
    // [to][from][tap] of the second layer: weight 6 + (1·2 + 1)·3 + 2.
    CHECK(arrayOf(report, "weightLayer").values[17] == 2);
    CHECK(arrayOf(report, "weightTo").values[17] == 1);
    CHECK(arrayOf(report, "weightFrom").values[17] == 1);
    CHECK(arrayOf(report, "weightTap").values[17] == 2);
}

TEST_CASE("a network without hidden units has all its weights as capacity and no scales") {
    const Report report = run({{"architecture", "3-2"}});
    checkReport(scene(), report);
    for (const double rank : arrayOf(report, "functionRank").values) CHECK(rank == 6);
    CHECK(scalarOf(report, "predicted") == 6);
    CHECK_FALSE(report.array("outputChange"));
}

TEST_CASE("what cannot be counted is said or refused in a sentence") {
    CHECK(isOneSentence(refusal([] { run({{"architecture", "8-8-8-8-8"}}); })));
    CHECK(isOneSentence(refusal([] { run({{"architecture", "8-8-8-8-8-8"}}); })));
    CHECK(isOneSentence(refusal([] { run({{"architecture", "1-8-8-8-8-1"}, {"layer", "convolution"}, {"taps", 4.0}}); })));
    const auto warned = [](const Settings& settings) { return run(settings).warnings; };
    const auto tree = warned({{"layer", "convolution"}}), few = warned({{"inputsTried", 5.0}});
    REQUIRE(tree.size() == 1);
    CHECK(isOneSentence(tree[0]));
    REQUIRE(few.size() == 1);
    CHECK(few[0].find("more inputs") != std::string::npos);
    CHECK(run({}).warnings.empty());
}

TEST_CASE("while samples come in, the ranks grow and the report stays whole") {
    double last = 0;
    int grew = 0;
    const Report whole = follow(requestFor({{"inputsTried", 2000.0}}), [&](const Report& report, double) {
        const Array* rank = report.array("functionRank");
        if (!rank) return;
        const double now = of(report, "functionRank", "tanh");
        CHECK(now >= last);
        grew += now > last;
        last = now;
    });
    CHECK(grew > 8);
    CHECK(whole.status == Status::Ok);
}
