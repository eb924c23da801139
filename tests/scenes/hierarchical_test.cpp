#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/linear/constraints.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/subspace.h"
#include "support/linear_summaries.h"
#include "support/matrices.h"
#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("hierarchical", settings); }

double sumOf(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::vector<double> rowOf(const Array& rows, std::size_t index) { return {rows.row(index), rows.row(index) + rows.rowLength()}; }

/// Weights of --with-network, [out][in][tap], back in the model's order.
std::vector<double> weightsOf(const Report& report, const HierarchicalModel& model) {
    std::vector<double> weights(model.parameters());
    REQUIRE(report.network.size() == model.shape().layers());
    for (std::size_t l = 1; l <= report.network.size(); ++l) {
        const ReportLayer& layer = report.network[l - 1];
        REQUIRE(layer.shape.size() == 3);
        std::size_t next = 0;
        for (std::size_t o = 0; o < layer.shape[0]; ++o)
            for (std::size_t i = 0; i < layer.shape[1]; ++i)
                for (std::size_t k = 0; k < layer.shape[2]; ++k) weights[model.weightIndex(l, k, o, i)] = layer.weights[next++];
    }
    return weights;
}

}  // namespace

const SummaryOf kSummary{"hierarchical",
                         {{{"layers", "4"}},
                          {{{"start", "random"}, {"compare", "full"}}, {{"channels", "1"}, {"compare", "two"}}},
                          {{"loss", Of::Last}, {"dilations", Of::Count}},
                          kOptimumOrNot,
                          addHalf}};

TEST_CASE("hierarchical: capacities grow with the channels as 7, 20, 33, 48, 64, and 8c² + 4c are the weights") {
    const Report report = run({});
    CHECK(arrayOf(report, "capacityAlong").axes[0].values == std::vector<double>{1, 2, 3, 4, 8});
    CHECK(arrayOf(report, "totalCapacityAlong").values == std::vector<double>{7, 20, 33, 48, 64});
    CHECK(arrayOf(report, "numericalRankAlong").values == arrayOf(report, "totalCapacityAlong").values);
    const auto& channels = arrayOf(report, "capacityAlong").axes[0].values;
    for (std::size_t i = 0; i < channels.size(); ++i)
        CHECK(arrayOf(report, "parametersAlong").values[i] == 8 * channels[i] * channels[i] + 4 * channels[i]);
    for (std::size_t i = 0; i < channels.size(); ++i) CHECK(arrayOf(report, "optimalityAlong").values[i] < 1e-6);
    // The model asked for is one of those along the timeline.
    CHECK(largestDifference(arrayOf(report, "capacity").values, rowOf(arrayOf(report, "capacityAlong"), 1)) == 0);
}

TEST_CASE("hierarchical: more channels than a Jacobian has room for are refused by name") {
    for (const char* channels : {"90", "256"})
        CHECK(refusal([&] { run({{"channels", channels}, {"layers", "6"}}); }).find("lower channels.") != std::string::npos);
}

TEST_CASE("hierarchical: the weights of --with-network give the same response and capacities again") {
    for (const char* channels : {"1", "3", "8"}) {
        CAPTURE(channels);
        Request request =
            requestOf("hierarchical", {{"channels", channels}, {"layers", "5"}, {"watch", "optimisation"}, {"pull", "1,1.3"}});
        request.withNetwork = true;
        const Report report = runRequest(request);
        const HierarchicalModel model(dilatedTree(5, 2, std::stoi(channels)));
        const auto weights = weightsOf(report, model);
        auto response = model.response(weights);
        std::reverse(response.begin(), response.end());
        CHECK(largestDifference(response, arrayOf(report, "coefficients").values) == 0);
        const LinearTask task = predictionTask(GaussianProcess{}, model.length());
        auto capacity = capacityPerInput(constraints(model, weights, task.covariance).basis);
        std::reverse(capacity.begin(), capacity.end());
        CHECK(largestDifference(capacity, arrayOf(report, "capacity").values) == 0);
    }
}

TEST_CASE("hierarchical: with one channel every layer below the last has a positive largest weight, and nothing else changes") {
    const Report report = run({{"channels", "1"}, {"watch", "optimisation"}});
    const Array& sizes = arrayOf(report, "weightSizes");
    const std::size_t taps = 2, layers = 6;
    const double* last = sizes.row(sizes.axes[0].size() - 1);
    double product = 1;
    for (std::size_t l = 0; l < layers; ++l) {
        const double larger = std::abs(last[l * taps]) >= std::abs(last[l * taps + 1]) ? last[l * taps] : last[l * taps + 1];
        if (l + 1 < layers) CHECK(larger > 0);
        product *= last[l * taps];
    }
    // Eq 20: the newest coefficient is the product of the first taps.
    CHECK(arrayOf(report, "coefficients").values[0] == doctest::Approx(product).epsilon(1e-12));
}

TEST_CASE("hierarchical: a pulled weight raises the loss and is no optimum; a whole layer's common factor moves no capacity") {
    const Report rest = run({{"channels", "1"}, {"watch", "optimisation"}}),
                 pulled = run({{"channels", "1"}, {"pull", "1,1,1,1.5"}, {"watch", "optimisation"}}),
                 scaled = run({{"channels", "1"}, {"pull", "1,1,1.5,1.5"}, {"watch", "optimisation"}});
    CHECK(scalarOf(pulled, "loss") > 1.01 * scalarOf(rest, "loss"));
    CHECK(scalarOf(pulled, "optimality") > 1e-3);
    CHECK(pulled.summary.find("no optimum") != std::string::npos);
    CHECK(rest.summary.find("At this optimum") != std::string::npos);
    CHECK(scalarOf(scaled, "optimality") > 1e-3);
    CHECK(largestDifference(arrayOf(scaled, "capacity").values, arrayOf(rest, "capacity").values) < 1e-9);
    CHECK(largestDifference(arrayOf(pulled, "capacity").values, arrayOf(rest, "capacity").values) > 1e-3);
}

TEST_CASE("hierarchical: the way to an optimum never rises, starts far away and ends where the search ends") {
    const Report report = run({{"watch", "optimisation"}, {"start", "random"}, {"layers", "4"}});
    const Array& loss = arrayOf(report, "lossAlong");
    CHECK(loss.axes[0].name == "step");
    CHECK(loss.axes[0].values.front() == 0);
    CHECK(loss.values.size() > 10);
    for (std::size_t i = 1; i < loss.values.size(); ++i) CHECK(loss.values[i] <= loss.values[i - 1]);
    CHECK(loss.values.front() > 1e3 * loss.values.back());
    CHECK(arrayOf(report, "optimalityAlong").values.front() > 0.01);
    CHECK(loss.values.back() == scalarOf(report, "loss"));
    CHECK(loss.values.back() == doctest::Approx(scalarOf(run({{"layers", "4"}}), "loss")).epsilon(1e-4));
}

TEST_CASE("hierarchical: dilations that make no tree are counted modulo a prime, and what floating point finds agrees" *
          doctest::test_suite("long")) {
    for (const auto& [dilations, capacity] : std::vector<std::pair<const char*, double>>{{"1,2,4,1,2,4", 28}, {"1,1,2,2,4,4", 24}}) {
        const Report report = run({{"dilation", "list"}, {"dilations", dilations}, {"channels", "2"}, {"watch", "optimisation"}});
        CHECK(arrayOf(report, "capacity").values.size() == 15);
        CHECK(scalarOf(report, "totalCapacity") == scalarOf(report, "numericalRank"));
        CHECK(scalarOf(report, "totalCapacity") <= capacity);
        CHECK(std::abs(sumOf(arrayOf(report, "capacity").values) - scalarOf(report, "numericalRank")) < 1e-9);
    }
}

TEST_CASE("hierarchical: full connection has capacity 1 at every lag; a recurrent model beside it two a unit") {
    const Report full = run({{"compare", "full"}, {"layers", "4"}});
    for (const double value : arrayOf(full, "capacityOther").values) CHECK(value == doctest::Approx(1).epsilon(1e-12));
    CHECK(scalarOf(full, "totalCapacityOther") == 16);
    CHECK(scalarOf(full, "lossOther") < 1e-25);
    const Report recurrent = run({{"compare", "recurrent"}, {"otherChannels", "2"}, {"channels", "1"}, {"watch", "optimisation"}});
    CHECK(scalarOf(recurrent, "totalCapacityOther") == 4);
    CHECK(scalarOf(recurrent, "lossOther") == doctest::Approx(6.016e-4).epsilon(1e-4));
    CHECK(std::abs(sumOf(arrayOf(recurrent, "capacityOther").values) - scalarOf(recurrent, "numericalRankOther")) < 1e-9);
}

TEST_CASE("hierarchical: a tree, recurrent units and a window of the newest lags of equal capacity (Fig 1)") {
    const Report report = run({{"layers", "5"}, {"channels", "1"}, {"compare", "two"}, {"otherChannels", "3"}});
    for (const char* name : {"totalCapacity", "totalCapacityOther", "totalCapacityWindow"}) CHECK(scalarOf(report, name) == 6);
    for (const char* name : {"capacity", "capacityOther", "capacityWindow"})
        CHECK(sumOf(arrayOf(report, name).values) == doctest::Approx(6).epsilon(1e-9));
    // Full connection to six lags predicts as well as the best predictor from these lags can.
    const Report six = runChecked("recurrent", {{"length", "6"}, {"compare", "full"}, {"channels", "1"}, {"watch", "optimisation"}});
    CHECK(scalarOf(report, "lossWindow") + scalarOf(report, "lowerBound") == doctest::Approx(scalarOf(six, "lowerBound")).epsilon(1e-9));
}

TEST_CASE("hierarchical: stacks too long or with too many weights are refused in a sentence that names what to lower") {
    const auto refused = [](const Settings& settings, const char* key) {
        const std::string sentence = refusal([&] { openRequest(requestOf("hierarchical", settings)); });
        CHECK(isOneSentence(sentence));
        CHECK_MESSAGE(sentence.find(std::string("lower ") + key) != std::string::npos, sentence);
    };
    refused({{"layers", "7"}, {"taps", "3"}}, "taps");
    refused({{"taps", "4"}, {"layers", "8"}}, "taps");
    refused({{"taps", "3"}, {"layers", "6"}}, "taps");
    refused({{"taps", "4"}, {"channels", "256"}, {"dilation", "list"}, {"dilations", "1,2,4,8,1,2,4,8"}}, "channels");
    refused({{"taps", "4"}, {"dilation", "list"}, {"dilations", "64,64,64,64"}}, "taps");
    refused({{"channels", "30"}, {"dilation", "list"}, {"dilations", "64,64,64,64,64,64,64,64"}}, "dilations");
}

TEST_CASE("hierarchical: an unstable model is named, and its autocovariance left out") {
    const Report report = run({{"channels", "1"}, {"layers", "3"}, {"pull", "2,2,2,2"}});
    CHECK(scalarOf(report, "largestPartial") >= 1);
    CHECK(report.array("modelAutocovariance") == nullptr);
    CHECK(warnsOf(report, "no stable autoregression"));
}
