// What the taglines and notes of the linear models say of where capacity lies, beside the reports.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "support/scene_runs.h"

using namespace kappaflow;

namespace {

/// Means over eight lags each, the newest first.
std::vector<double> eighths(const std::vector<double>& capacity) {
    std::vector<double> means;
    for (std::size_t from = 0; from + 8 <= capacity.size(); from += 8)
        means.push_back(std::accumulate(capacity.begin() + static_cast<std::ptrdiff_t>(from),
                                        capacity.begin() + static_cast<std::ptrdiff_t>(from) + 8, 0.0) /
                        8);
    return means;
}

std::vector<double> capacityOf(const char* scene, int channels) {
    return eighths(arrayOf(runChecked(scene, {{"channels", std::to_string(channels)}}), "capacity").values);
}

double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

}  // namespace

TEST_CASE("trees: one and two channels lie on the recent past, from three on both ends fill before the middle" *
          doctest::test_suite("long")) {
    for (const int channels : {1, 2}) {
        const auto kappa = capacityOf("hierarchical", channels);
        CHECK(kappa[0] > 3 * kappa[4]);
        CHECK(kappa[7] < kappa[4]);
    }
    for (const int channels : {3, 4, 5, 6}) {
        const auto kappa = capacityOf("hierarchical", channels);
        CHECK(kappa[0] > kappa[4] + 0.1);
        CHECK(kappa[7] > kappa[4] + 0.1);
    }
    const auto four = capacityOf("hierarchical", 4);
    CHECK(four[7] == doctest::Approx(1).epsilon(1e-3));
    CHECK(four[4] == doctest::Approx(0.6).epsilon(0.03));
}

TEST_CASE("recurrent units: one and two thin out towards the past, from three on the oldest inputs gain too" *
          doctest::test_suite("long")) {
    for (const int channels : {1, 2}) {
        const auto kappa = capacityOf("recurrent", channels);
        CHECK(kappa[7] == least(kappa));
    }
    for (const int channels : {3, 4, 6, 8}) {
        const auto kappa = capacityOf("recurrent", channels);
        CHECK(kappa[0] > kappa[7]);
        CHECK(kappa[7] > 1.2 * least(kappa));
    }
    const std::vector<double> eight = arrayOf(runChecked("recurrent", {{"channels", "8"}}), "capacity").values;
    CHECK(eight.back() > 0.999);
    CHECK(*std::min_element(eight.begin() + 16, eight.begin() + 48) < 0.115);
}

TEST_CASE("many inputs: the newest positions fill first, and from three channels on the oldest before the middle" *
          doctest::test_suite("long")) {
    for (const char* channels : {"2", "3", "4", "8"}) {
        const Report report = runChecked("multi-input", {{"channels", channels}});
        const Array& inputs = arrayOf(report, "capacity");
        const std::size_t lags = inputs.axes[1].size();
        std::vector<double> position(lags);
        for (std::size_t i = 0; i < inputs.values.size(); ++i) position[i % lags] += inputs.values[i] / 4;
        const auto kappa = eighths(position);
        CHECK(kappa[0] > kappa[4]);
        CHECK((kappa[7] > kappa[4]) == (std::string(channels) != "2"));
    }
}

TEST_CASE("layers: with one and two channels the low ones hold the recent past, with four the second holds more of the oldest") {
    for (const char* channels : {"1", "2"}) {
        const Report report = runChecked("layer-contributions", {{"channels", channels}});
        const Array& chain = arrayOf(report, "chain");
        for (const std::size_t layer : {0, 1}) {
            const auto kappa = eighths({chain.row(layer), chain.row(layer) + chain.rowLength()});
            CHECK(kappa[0] == *std::max_element(kappa.begin(), kappa.end()));
        }
        const auto last = eighths({chain.row(4), chain.row(4) + chain.rowLength()});
        CHECK(last[0] < 0.5 * (last[1] + last[2] + last[3] + last[4] + last[5] + last[6] + last[7]));
    }
    const Report report = runChecked("layer-contributions", {});
    const Array& chain = arrayOf(report, "chain");
    const auto second = eighths({chain.row(1), chain.row(1) + chain.rowLength()});
    CHECK(8 * second[7] == doctest::Approx(3.63).epsilon(0.005));
    CHECK(8 * second[0] == doctest::Approx(1.83).epsilon(0.005));
}
