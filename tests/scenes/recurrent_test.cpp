#include <cmath>

#include "core/linear/linear_model.h"
#include "support/linear_summaries.h"
#include "support/scene_runs.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("recurrent", settings); }

}  // namespace

const SummaryOf kSummary{"recurrent",
                         {{{"length", "16"}},
                          {{{"start", "random"}, {"compare", "full"}}},
                          {{"loss", Of::Last}, {"dilations", Of::Count}},
                          kOptimumOrNot,
                          addHalf}};

TEST_CASE("recurrent: coefficients are sums of powers of the weights shown, longest memory first") {
    Request request = requestOf("recurrent", {{"channels", "3"}, {"length", "20"}, {"watch", "optimisation"}, {"pull", "1,0.9"}});
    request.withNetwork = true;
    const Report report = runRequest(request);
    const Array &in = arrayOf(report, "inWeights"), &rec = arrayOf(report, "recWeights"), &out = arrayOf(report, "outWeights");
    const std::size_t last = in.axes[0].size() - 1;
    for (std::size_t lag = 0; lag < 20; ++lag) {
        double sum = 0;
        for (std::size_t j = 0; j < 3; ++j)
            sum += in.row(last)[j] * std::pow(rec.row(last)[j], static_cast<double>(lag)) * out.row(last)[j];
        CHECK(arrayOf(report, "coefficients").values[lag] == doctest::Approx(sum).epsilon(1e-10));
    }
    REQUIRE(report.network.size() == 3);
    CHECK(report.network[0].kind == "in");
    CHECK(report.network[1].weights == std::vector<double>(rec.row(last), rec.row(last) + 3));
    const Report rest = run({{"channels", "3"}, {"length", "20"}, {"watch", "optimisation"}});
    const Array& before = arrayOf(rest, "recWeights");
    const double* row = before.row(before.axes[0].size() - 1);
    CHECK(row[0] >= row[1]);
    CHECK(row[1] >= row[2]);
    CHECK(rec.row(last)[1] == doctest::Approx(0.9 * row[1]).epsilon(1e-12));
}

TEST_CASE("recurrent: random starts from which a step leaves the range of numbers end like others" * doctest::test_suite("long")) {
    const Report report = run({{"length", "512"}, {"start", "random"}, {"process", "arfima"}});
    CHECK(std::isfinite(scalarOf(report, "loss")));
}

TEST_CASE("recurrent: a pulled memory keeps two constraints a unit, but is no optimum" * doctest::test_suite("long")) {
    const Report pulled = run({{"pull", "1,0.8"}, {"watch", "optimisation"}}), rest = run({{"watch", "optimisation"}});
    CHECK(scalarOf(pulled, "numericalRank") == 4);
    CHECK(scalarOf(rest, "optimality") < 1e-6);
    CHECK(scalarOf(pulled, "optimality") > 1e-3);
    CHECK(scalarOf(pulled, "loss") > scalarOf(rest, "loss"));
}

TEST_CASE("recurrent: a pulled input scales its unit's echo alone, moves no capacity, and is no optimum") {
    const Report pulled = run({{"pullIn", "1,0.5"}, {"length", "16"}}), rest = run({{"length", "16"}});
    const auto rowOf = [](const Report& r, const char* name) { return arrayOf(r, name).row(1); };
    CHECK(rowOf(pulled, "inWeights")[0] == rowOf(rest, "inWeights")[0]);
    CHECK(rowOf(pulled, "inWeights")[1] == doctest::Approx(0.5 * rowOf(rest, "inWeights")[1]).epsilon(1e-12));
    for (std::size_t lag = 0; lag < 16; ++lag)
        CHECK(arrayOf(pulled, "capacity").values[lag] == doctest::Approx(arrayOf(rest, "capacity").values[lag]).epsilon(1e-8));
    CHECK(scalarOf(pulled, "optimality") > 1e-3);
    CHECK(pulled.summary.find("At these weights, which are no optimum") != std::string::npos);
}

TEST_CASE("recurrent: the stack compared with reaches as far back, also where no tree does") {
    for (const char* length : {"16", "21"}) {
        CAPTURE(length);
        const Report report = run({{"channels", "1"}, {"length", length}, {"compare", "hierarchical"}, {"watch", "optimisation"}});
        CHECK(arrayOf(report, "capacityOther").values.size() == static_cast<std::size_t>(std::stoi(length)));
        CHECK(scalarOf(report, "totalCapacityOther") == scalarOf(report, "numericalRankOther"));
        if (std::string(length) == "16") CHECK(scalarOf(report, "totalCapacityOther") == 5);
    }
}
