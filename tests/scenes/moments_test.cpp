#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/moments/moment_data.h"
#include "core/moments/moment_propagation.h"
#include "support/complete_set.h"
#include "support/followed.h"
#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("moments", settings); }

Settings small(Settings more) {
    for (const auto& [key, text] : Settings{{"width", "16"}, {"layers", "12"}, {"samples", "16"}, {"draws", "3"}, {"seed", "5"}})
        if (std::none_of(more.begin(), more.end(), [&, k = key](const auto& m) { return m.first == k; })) more.emplace_back(key, text);
    return more;
}

MomentNet smallNet(MomentKind kind) {
    MomentNet net;
    net.kind = kind;
    net.width = net.inputs = 16;
    net.layers = 12;
    return net;
}

/// The layers of one draw of the small network, straight from the core.
std::vector<LayerMoments> layersOf(const MomentNet& net, std::size_t draw) {
    MomentPropagation run(net, drawMomentInput(net, MomentData::White, 16, 5, draw),
                          [&](std::size_t layer) { return drawMomentWeights(net, layer, 5, draw); });
    while (run.advance()) {
    }
    return run.layers();
}

double slope(const std::vector<double>& x, const std::vector<double>& y) {
    double mx = 0, my = 0, xy = 0, xx = 0;
    for (std::size_t i = 0; i < x.size(); ++i) mx += x[i] / static_cast<double>(x.size()), my += y[i] / static_cast<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) xy += (x[i] - mx) * (y[i] - my), xx += (x[i] - mx) * (x[i] - mx);
    return xy / xx;
}

double at(const Report& report, const char* name, std::size_t layer) { return arrayOf(report, name).values.at(layer); }

double pathologyOf(const Settings& settings) { return scalarOf(run(settings), "pathology"); }

}  // namespace

TEST_CASE("moments: curves are means over draws of the core's moments, with their standard errors and the 16 to 84 % band") {
    const Report report = run(small({{"draws", "5"}}));
    for (const std::size_t l : {1u, 6u, 12u}) {
        std::vector<double> chi, rank;
        for (std::size_t draw = 0; draw < 5; ++draw) {
            const auto layers = layersOf(smallNet(MomentKind::Vanilla), draw);
            chi.push_back(layers[l].chi());
            rank.push_back(layers[l].rankSignal);
        }
        double mean = 0, squares = 0, meanRank = 0;
        for (const double c : chi) mean += c / 5;
        for (const double c : chi) squares += (c - mean) * (c - mean);
        for (const double r : rank) meanRank += r / 5;
        std::sort(chi.begin(), chi.end());
        CHECK(at(report, "chi", l) == doctest::Approx(mean).epsilon(1e-12));
        CHECK(arrayOf(report, "chi").standardError[l] == doctest::Approx(std::sqrt(squares / 4 / 5)).epsilon(1e-9));
        CHECK(at(report, "chiLow", l) == doctest::Approx(chi[0] + 0.64 * (chi[1] - chi[0])).epsilon(1e-12));
        CHECK(at(report, "chiHigh", l) == doctest::Approx(chi[3] + 0.36 * (chi[4] - chi[3])).epsilon(1e-12));
        CHECK(at(report, "chiMedian", l) == doctest::Approx(chi[2]).epsilon(1e-12));
        CHECK(at(report, "rankSignal", l) == doctest::Approx(meanRank).epsilon(1e-12));
    }
    CHECK(at(report, "chi", 0) == 1);
    CHECK(std::isnan(at(report, "deltaChi", 0)));
    CHECK(report.array("deltaBatchNorm") == nullptr);
    CHECK(report.array("deltaChiInner") == nullptr);
    CHECK(report.scalar("exponentPredicted") == nullptr);
}

TEST_CASE("moments: rate, exponent and the paper's exponent are those of every draw, averaged") {
    const Report report = run(small({{"net", "resnet"}, {"draws", "2"}}));
    std::vector<double> layers, logs;
    double rate = 0, exponent = 0, late = 0, increments = 0;
    for (std::size_t draw = 0; draw < 2; ++draw) {
        const auto moments = layersOf(smallNet(MomentKind::Resnet), draw);
        layers.clear(), logs.clear();
        std::vector<double> chi;
        for (std::size_t l = 1; l <= 12; ++l) {
            layers.push_back(static_cast<double>(l));
            logs.push_back(std::log(static_cast<double>(l)));
            chi.push_back(moments[l].logChi);
            increments += moments[l].inner[0].deltaChi / 24;
        }
        rate += slope(layers, chi) / 2;
        exponent += slope(logs, chi) / 2;
        late += slope({layers.begin() + 5, layers.end()}, {chi.begin() + 5, chi.end()}) / 2;
    }
    CHECK(scalarOf(report, "rate") == doctest::Approx(rate).epsilon(1e-10));
    CHECK(scalarOf(report, "rateLate") == doctest::Approx(late).epsilon(1e-10));
    CHECK(scalarOf(report, "exponent") == doctest::Approx(exponent).epsilon(1e-10));
    CHECK(scalarOf(report, "exponentPredicted") == doctest::Approx(0.5 * (std::pow(increments, 4) - 1)).epsilon(1e-10));
    CHECK(report.scalar("rate")->draws == 2);
    // C l^τ: the factor makes the sum of squared differences least.
    const auto &law = arrayOf(report, "powerLaw").values, &chi = arrayOf(report, "chi").values;
    double gradient = 0;
    for (std::size_t l = 1; l <= 12; ++l) gradient += (chi[l] - law[l]) * law[l];
    CHECK(std::abs(gradient) < 1e-9);
    CHECK(law[8] / law[4] == doctest::Approx(std::pow(2, scalarOf(report, "exponentPredicted"))));
}

TEST_CASE("moments: the increment of a batch-normalised layer is the product of its two parts, which Theorem 3 gives") {
    const Report report =
        run({{"net", "batch-norm"}, {"width", "64"}, {"layers", "20"}, {"samples", "128"}, {"draws", "1"}, {"epsilon", "0"}});
    double ratio = 0;
    for (std::size_t l = 1; l <= 20; ++l) {
        CHECK(at(report, "deltaChi", l) == doctest::Approx(at(report, "deltaBatchNorm", l) * at(report, "deltaActivation", l)));
        CHECK(at(report, "deltaBatchNorm", l) == doctest::Approx(at(report, "deltaBatchNormTheory", l)).epsilon(1e-9));
        ratio += at(report, "deltaActivation", l) / at(report, "deltaActivationTheory", l) / 20;
        CHECK(at(report, "chi", l) / at(report, "chi", l - 1) == doctest::Approx(at(report, "deltaChi", l)));
        CHECK(at(report, "chiTheory", l) / at(report, "chiTheory", l - 1) == doctest::Approx(at(report, "deltaChiTheory", l)));
    }
    CHECK(ratio == doctest::Approx(1).epsilon(0.02));
    CHECK(at(report, "nu1", 1) == doctest::Approx(std::sqrt(2 / std::acos(-1.0))).epsilon(0.02));
}

TEST_CASE("moments: narrow vanilla convolutions, whose rate is near its limit, are undecided and never one thing or another by the seed") {
    for (const char* width : {"8", "12"}) {
        int undecided = 0;
        bool exploding = false, otherwise = false;
        for (int seed = 1; seed <= 8; ++seed) {
            const Report report = run({{"space", "conv1d"}, {"width", width}, {"layers", "40"}, {"seed", std::to_string(seed)}});
            const double code = scalarOf(report, "pathology");
            undecided += code == 4;
            exploding |= code == 3, otherwise |= code < 3;
            CHECK((report.summary.find("at this width") != std::string::npos) == (code == 4));
        }
        CHECK(undecided >= 6);
        CHECK_FALSE((exploding && otherwise));
    }
}

TEST_CASE("moments: with more samples batch norm amplifies noise less and the signal's tails are fatter, as the help says") {
    double before = 1, tails = 0;
    for (const char* samples : {"16", "256"}) {
        const Report report = run({{"net", "batch-norm"}, {"width", "32"}, {"layers", "30"}, {"samples", samples}, {"draws", "8"}});
        const Scalar& rate = *report.scalar("rate");
        CHECK(rate.value + 4 * *rate.standardError < before);
        before = rate.value;
        CHECK(arrayOf(report, "kurtosis").values.back() > 1.3 * tails);
        tails = arrayOf(report, "kurtosis").values.back();
    }
    CHECK(std::string(findDeclaration("moments")->param("samples")->help).find("amplifies noise less") != std::string::npos);
}

TEST_CASE("moments: the numbers name the pathology of each network" * doctest::test_suite("long")) {
    const Settings size{{"width", "64"}, {"layers", "60"}, {"samples", "32"}, {"draws", "8"}};
    const auto with = [&](Settings more) {
        more.insert(more.end(), size.begin(), size.end());
        return more;
    };
    CHECK(pathologyOf(with({{"net", "vanilla"}})) == 2);
    CHECK(pathologyOf(with({{"net", "batch-norm"}})) == 3);
    CHECK(pathologyOf(with({{"net", "resnet"}})) == 0);
    CHECK(pathologyOf(with({{"net", "resnet-plain"}})) == 2);
    CHECK(pathologyOf(with({{"net", "resnet"}, {"skipScale", "0"}})) == 3);
    CHECK(pathologyOf(with({{"weightScale", "0.7"}, {"biasVariance", "0.1"}})) == 1);
    CHECK(pathologyOf(with({{"activation", "tanh"}, {"weightScale", "2"}})) == 3);
    const Report shallow = run(small({{"layers", "5"}}));
    CHECK(shallow.scalar("pathology") == nullptr);
    CHECK(shallow.summary.find("too shallow") != std::string::npos);
}

TEST_CASE("moments: numbers of the reference at width 64 and 256 samples" * doctest::test_suite("long")) {
    const double draws = completeSet() ? 16 : 8;
    const Settings size{{"width", "64"}, {"layers", "50"}, {"samples", "256"}, {"draws", formatNumber(draws)}};
    const auto of = [&](const char* net) {
        Settings settings = size;
        settings.emplace_back("net", net);
        return run(settings);
    };
    const auto near = [&](double own, double reference, double sd, double theirs) {
        return std::abs(own - reference) < 4 * sd * std::sqrt(1 / draws + 1 / theirs);
    };
    const Report vanilla = of("vanilla"), batchNorm = of("batch-norm"), resnet = of("resnet");
    CHECK(near(at(vanilla, "rankSignal", 50), 1.063, 0.069, 100));
    CHECK(at(vanilla, "deltaChi", 1) == doctest::Approx(1.2117).epsilon(0.01));
    CHECK(near(scalarOf(batchNorm, "rate"), 0.1883, 0.0052, 100));
    CHECK(near(scalarOf(batchNorm, "rateLate"), 0.1894, 0.0098, 100));
    CHECK(near(at(batchNorm, "kurtosis", 50), 17, 4.9, 100));
    CHECK(near(at(batchNorm, "nu1", 50), 0.642, 0.033, 100));
    CHECK(near(scalarOf(resnet, "exponent"), 0.460, 0.018, 100));
    CHECK(near(scalarOf(resnet, "exponentLate"), 0.533, 0.029, 100));
    CHECK(scalarOf(resnet, "exponentPredicted") == doctest::Approx(0.604).epsilon(0.05));
    CHECK(near(at(resnet, "chi", 50), 6.06, 0.32, 100));
}

TEST_CASE("moments: the level of an infinitely wide network is that of the data's norms") {
    CHECK(scalarOf(run({{"layers", "1"}, {"samples", "512"}, {"draws", "8"}}), "plateau") == doctest::Approx(16).epsilon(0.05));
    CHECK(scalarOf(run({{"layers", "1"}, {"samples", "1024"}, {"draws", "20"}, {"data", "spread"}, {"width", "64"}}), "plateau") ==
          doctest::Approx(2.126).epsilon(0.05));
    CHECK(run(small({{"net", "batch-norm"}})).scalar("plateau") == nullptr);
    CHECK(run(small({{"space", "conv1d"}})).scalar("plateau") == nullptr);
}

TEST_CASE("moments: four networks side by side are the four by themselves") {
    const Report all = run(small({{"compare", "all"}, {"net", "batch-norm"}}));
    const Array& chi = arrayOf(all, "chiCompared");
    REQUIRE(chi.axes[0].keys == std::vector<std::string>{"batch-norm", "vanilla", "resnet", "resnet-plain"});
    for (std::size_t k = 0; k < 4; ++k) {
        const Report one = run(small({{"net", chi.axes[0].keys[k]}}));
        for (std::size_t l = 0; l <= 12; ++l) CHECK(chi.row(k)[l] == at(one, "chi", l));
        CHECK(arrayOf(all, "rateCompared").values[k] == scalarOf(one, "rate"));
        CHECK(arrayOf(all, "pathologyCompared").values[k] == scalarOf(one, "pathology"));
        CHECK(arrayOf(all, "cloudShare").row(k)[12] == arrayOf(one, "cloudShare").values[12]);
    }
    CHECK(scalarOf(all, "rate") == arrayOf(all, "rateCompared").values[0]);
}

TEST_CASE("moments: clouds have unit spread, and lie nearer to the next layer's than any mirror image of theirs") {
    for (const char* net : {"vanilla", "resnet"}) {
        const Report report = run(small({{"net", net}, {"samples", "40"}}));
        const auto &signal = arrayOf(report, "cloudSignal"), &noise = arrayOf(report, "cloudNoise");
        REQUIRE(signal.axes[2].size() == 40);
        const auto layer = [](const Array& array, std::size_t l) { return array.values.data() + l * 80; };
        for (std::size_t l = 0; l <= 12; ++l) {
            CAPTURE(l);
            double largest = 0, square = 0;
            for (double angle = 0; angle < 3.15; angle += 0.001) {
                double sum = 0;
                for (std::size_t i = 0; i < 40; ++i)
                    sum += std::pow(std::cos(angle) * layer(signal, l)[2 * i] + std::sin(angle) * layer(signal, l)[2 * i + 1], 2) / 40;
                largest = std::max(largest, sum);
            }
            for (std::size_t i = 0; i < 80; ++i) square += layer(noise, l)[i] * layer(noise, l)[i] / 40;
            CHECK(largest == doctest::Approx(1).epsilon(1e-4));
            CHECK(square == doctest::Approx(1));
            if (l == 12) continue;
            const auto distance = [&](double sx, double sy, bool swapped) {
                double sum = 0;
                for (std::size_t i = 0; i < 40; ++i) {
                    const double x = layer(signal, l)[2 * i], y = layer(signal, l)[2 * i + 1];
                    sum += std::pow(sx * (swapped ? y : x) - layer(signal, l + 1)[2 * i], 2);
                    sum += std::pow(sy * (swapped ? x : y) - layer(signal, l + 1)[2 * i + 1], 2);
                }
                return sum;
            };
            for (const double sx : {-1.0, 1.0})
                for (const double sy : {-1.0, 1.0})
                    for (const bool swapped : {false, true}) CHECK(distance(1, 1, false) <= distance(sx, sy, swapped) * (1 + 1e-12));
        }
        CHECK(at(report, "cloudNoiseSize", 0) > 0.3);
    }
}

TEST_CASE("moments: results refine draw by draw, and what is whole does not change") {
    const Report one = run(small({{"draws", "1"}, {"layers", "150"}}));
    std::vector<double> rates;
    bool growing = false;
    const Report whole = follow(requestOf("moments", small({{"draws", "4"}, {"layers", "150"}})), [&](const Report& partial, double) {
        const Array* chi = partial.array("chi");
        if (!chi) return;
        growing |= std::isfinite(chi->values[2]) && std::isnan(chi->values[150]);
        if (!partial.scalar("rate") || std::isnan(chi->values[150])) return;
        if (rates.empty()) CHECK(chi->values == arrayOf(one, "chi").values);
        if (rates.empty() || rates.back() != partial.scalar("rate")->value) rates.push_back(partial.scalar("rate")->value);
    });
    CHECK(growing);
    CHECK(rates.size() == 3);
    CHECK(whole.scalar("rate")->draws == 4);
}

TEST_CASE("moments: convolutions, boundaries and data of every kind give whole reports") {
    for (const char* space : {"conv1d", "conv2d"})
        for (const char* boundary : {"periodic", "reflect", "zero"})
            for (const char* data : {"gaussian", "images"}) {
                const Report report = run(small({{"space", space},
                                                 {"boundary", boundary},
                                                 {"data", data},
                                                 {"extent", "4"},
                                                 {"samples", "4"},
                                                 {"width", "8"},
                                                 {"net", "batch-norm"}}));
                CHECK(at(report, "chi", 12) > 1);
                CHECK(scalarOf(report, "points") == (std::string(space) == "conv1d" ? 16 : 64));
            }
    CHECK(at(run(small({{"data", "low-rank"}})), "rankSignal", 0) < 3);
    const Report tanh = run(small({{"activation", "tanh"}}));
    CHECK(at(tanh, "chi", 12) != at(run(small({})), "chi", 12));
    CHECK(tanh.array("deltaChiTheory") == nullptr);
}

namespace {

/// An IDX file of square images, each pixel what `value` gives.
template <class Value>
Request fileRequest(std::size_t count, std::size_t side, Value&& value, Settings settings) {
    settings.emplace_back("data", "file");
    Request request = requestOf("moments", settings);
    Attachment file{"digits.idx", {0, 0, 8, 3}};
    for (const std::size_t n : {count, side, side})
        for (int shift = 24; shift >= 0; shift -= 8) file.bytes.push_back(static_cast<unsigned char>(n >> shift));
    for (std::size_t i = 0; i < count * side * side; ++i) file.bytes.push_back(static_cast<unsigned char>(value(i)));
    request.data = std::make_shared<const Attachment>(std::move(file));
    return request;
}

}  // namespace

TEST_CASE("moments: a reader's images are the data, and files that give none are refused in a sentence") {
    const auto busy = [](std::size_t i) { return (i * i * 31 + i * 7) % 251; };
    for (const char* space : {"dense", "conv2d"}) {
        const Report report = runRequest(fileRequest(20, 16, busy, small({{"space", space}})));
        checkReport(*findDeclaration("moments"), report);
        CHECK(at(report, "chi", 12) > 1);
    }
    const auto refusalOf = [&](const Request& request) { return refusal([&] { runRequest(request); }); };
    const std::string few = refusalOf(fileRequest(5, 16, busy, small({})));
    CHECK(isOneSentence(few));
    CHECK(few.find("5 images") != std::string::npos);
    const std::string constant = refusalOf(fileRequest(
        20, 16, [](std::size_t) { return 9; }, small({})));
    CHECK(isOneSentence(constant));
    CHECK(constant.find("zero variance") != std::string::npos);
    Request cut = fileRequest(20, 16, busy, small({}));
    Attachment file = *cut.data;
    file.bytes.resize(1000);
    cut.data = std::make_shared<const Attachment>(std::move(file));
    CHECK(isOneSentence(refusalOf(cut)));
    CHECK(isOneSentence(refusal([] { runRequest(requestOf("moments", {{"data", "file"}})); })));
}
