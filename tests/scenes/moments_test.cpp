#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "scenes/moments/moments_model.h"
#include "support/followed.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("moments", settings); }

Settings small(Settings more) {
    for (const auto& [key, text] : Settings{{"width", "16"}, {"layers", "12"}, {"samples", "16"}, {"draws", "3"}, {"seed", "5"}})
        if (std::none_of(more.begin(), more.end(), [&, k = key](const auto& m) { return m.first == k; })) more.emplace_back(key, text);
    return more;
}

using random_nets::Net;

/// Four draws that end at layer 12 of 20, their numbers alike everywhere.
moments::Result endedEarly(Net net, double rate) {
    moments::Result r;
    r.layers = countUp(21);
    for (auto& curve : r.means.curves) curve.mean.values.assign(21, 2.0);
    r.drawn.push_back({net, 4, 4, "Every unit of layer 13 is off for every sample.", 12, 0});
    r.fits.rate = r.fits.exponent = Estimate{rate, 0, 4};
    return r;
}

double at(const Report& report, const char* name, std::size_t layer) { return arrayOf(report, name).values.at(layer); }

double pathologyOf(const Settings& settings) { return scalarOf(run(settings), "pathology"); }

}  // namespace

template <int code>
bool pathological(const Report& r) {
    return valueIn(r, "pathology") == code;
}

const SummaryOf kSummary{
    "moments",
    {{{"width", "16"}, {"layers", "12"}, {"samples", "16"}, {"draws", "3"}},
     {{{"net", "resnet"}, {"layers", "30"}},
      {{"weightScale", "0.25"}, {"biasVariance", "1"}, {"layers", "30"}},
      {{"width", "2"}, {"layers", "20"}},
      {{"network", "shapes-classifier"}},
      {{"net", "resnet-plain"}, {"activation", "tanh"}, {"layers", "30"}}},
     {{"chi", Of::All}, {"rankSignal", Of::All}, {"rankNoise", Of::All}, {"deltaChi", Of::Largest}, {"layerKind", Of::Count}},
     {{"it is well-behaved", pathological<0>},
      {"it is pathological by a zero-dimensional signal", pathological<1>},
      {"it is pathological by a one-dimensional signal", pathological<2>},
      {"it is pathological by exploding sensitivity", pathological<3>},
      {"too near to a limit to be told well-behaved or pathological at this width",
       [](const Report& r) { return r.array("pathologyCompared") || valueIn(r, "pathology") == 4; }},
      {"too shallow to be told well-behaved or pathological", [](const Report& r) { return !r.scalar("pathology"); }},
      {"not pathological as far as", pathological<0>},
      {"log χ grows by", [](const Report& r) { return valueIn(r, "stretch") > 0; }},
      {"χ grows as l to the power", [](const Report& r) { return r.scalar("exponent") && r.scalar("exponentPredicted"); }},
      {"for every 1 that √l grows", [](const Report& r) { return r.scalar("stretch") && r.scalar("stretchPredicted"); }},
      {"it grows most, by a factor of", [](const Report& r) { return r.array("deltaChi") != nullptr; }}},
     [](const Report& r, Numbers& n) {
         const double layers = r.params.number("layers"), reached = valueIn(r, "fittedLayers");
         n.insert(n.end(), {1, std::max(1.0, std::floor(reached / 5)), layers + 1, reached + 1});
         const auto& alive = r.array("alive")->values;
         n.insert(n.end(), {alive.front(), alive.front() - alive.back()});
         const auto& delta = r.array("deltaChi")->values;
         Numbers::const_iterator best = delta.end();
         for (auto d = delta.begin(); d != delta.end(); ++d)
             if (std::isfinite(*d) && (best == delta.end() || *d > *best)) best = d;
         n.push_back(static_cast<double>(best - delta.begin()));
     }}};

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

TEST_CASE("moments: results refine draw by draw, and what is whole does not change" * doctest::test_suite("long")) {
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

TEST_CASE("moments: networks that all end early are not called well-behaved, and units are not called layers") {
    const std::string vanilla = moments::summary({}, endedEarly(Net::Vanilla, 3e-17)),
                      plain = moments::summary({}, endedEarly(Net::ResnetPlain, 0.02));
    CHECK(vanilla.find("not pathological as far as layer 12") != std::string::npos);
    CHECK(vanilla.find("well-behaved") == std::string::npos);
    CHECK(vanilla.find("log χ changes by 0 a layer") != std::string::npos);
    CHECK(plain.find("At unit 12") == 0);
    CHECK(plain.find("as far as unit 12") != std::string::npos);
    CHECK(plain.find("by 0.02 a unit") != std::string::npos);
    CHECK(plain.find("before the last unit") != std::string::npos);
}

TEST_CASE("moments: nothing is said of nets before a draw of them is whole") {
    moments::Result begun = endedEarly(Net::Vanilla, 0.1);
    begun.drawn.push_back(begun.drawn[0]);
    begun.drawn[1].draws = 0;
    CHECK(moments::summary({}, begun).find("Beside it") == std::string::npos);
    begun.drawn[0].draws = 0;
    for (const std::size_t last : {0u, 5u}) {
        begun.drawn[0].last = last;
        CHECK(moments::summary({}, begun) == "The first draw is under way.");
    }
}

TEST_CASE("moments of a given network: a layer raises χ where the factor that is printed is not 1") {
    moments::Result given = endedEarly(Net::Vanilla, 0);
    given.layerKind.assign(21, 1.0);
    auto& increments = given.means.curves[static_cast<std::size_t>(moments::Quantity::DeltaChi)].mean.values;
    increments.assign(21, 0.9);
    increments[7] = 1.004;
    CHECK(moments::summary({}, given).find("; no layer raises it.") != std::string::npos);
    increments[7] = 1.006;
    CHECK(moments::summary({}, given).find("by a factor of 1.01, in layer 7 (dense)") != std::string::npos);
}

TEST_CASE("moments: a power law is claimed where there is one, and a fit needs three layers") {
    for (const char* scale : {"0", "0.5", "2"}) {
        const Report report = run(small({{"net", "resnet"}, {"skipScale", scale}}));
        CHECK(report.summary.find("to the power") == std::string::npos);
        CHECK(report.summary.find("log χ changes by") != std::string::npos);
        CHECK(report.scalar("exponentPredicted") == nullptr);
    }
    CHECK(run(small({{"net", "resnet"}})).summary.find("to the power") != std::string::npos);
    const Report two = run(small({{"layers", "2"}})), three = run(small({{"layers", "3"}}));
    CHECK(two.scalar("rate") == nullptr);
    CHECK(two.summary.find("there are too few layers for a fit") != std::string::npos);
    CHECK(three.scalar("rate") != nullptr);
}

TEST_CASE("moments: a tanh ResNet without batch norm is a stretched exponential, as infinitely wide layers have it" *
          doctest::test_suite("long")) {
    MomentNet net{.kind = MomentKind::ResnetPlain, .layers = 400, .inner = 2, .activation = Activation::Tanh};
    const auto chi = moments::meanFieldChi(net);
    // Of an independent program.
    CHECK(chi[1] == doctest::Approx(1.0680379137932612).epsilon(1e-9));
    CHECK(chi[100] == doctest::Approx(117.1187842898956).epsilon(1e-9));
    // Slopes of log χ over √l settle, over l fall, over log l rise.
    const auto between = [&](double (*of)(double), std::size_t a, std::size_t b) {
        return std::log(chi[b] / chi[a]) / (of(static_cast<double>(b)) - of(static_cast<double>(a)));
    };
    const auto root = [](double l) { return std::sqrt(l); };
    const auto log = [](double l) { return std::log(l); };
    CHECK(between(root, 200, 400) == doctest::Approx(between(root, 100, 200)).epsilon(0.05));
    CHECK(between(log, 200, 400) > 1.3 * between(log, 100, 200));
    const Settings settings{{"net", "resnet-plain"}, {"activation", "tanh"}, {"width", "256"}, {"layers", "60"}, {"draws", "3"}};
    const Report report = run(settings);
    const Scalar& stretch = *report.scalar("stretch");
    const double predicted = scalarOf(report, "stretchPredicted");
    CHECK(std::abs(stretch.value - predicted) < 4 * *stretch.standardError + 0.04 * predicted);
    for (const std::size_t l : {10, 30, 60}) CHECK(at(report, "chi", l) == doctest::Approx(at(report, "meanField", l)).epsilon(0.12));
    for (const auto& other : {std::pair{"activation", "relu"}, {"net", "resnet"}, {"data", "low-rank"}, {"biasVariance", "1"}}) {
        Settings changed = small({{"net", "resnet-plain"}, {"activation", "tanh"}});
        for (auto& [key, text] : changed)
            if (key == other.first) text = other.second;
        if (std::none_of(changed.begin(), changed.end(), [&](const auto& c) { return c.first == other.first; }))
            changed.emplace_back(other.first, other.second);
        const Report without = run(changed);
        CHECK_FALSE(without.array("meanField"));
        CHECK_FALSE(without.scalar("stretch"));
    }
}

TEST_CASE("moments: networks that die are counted out of the means and told") {
    const Report report = run({{"width", "2"}, {"layers", "20"}, {"samples", "8"}, {"draws", "20"}});
    const auto& alive = arrayOf(report, "alive").values;
    CHECK(alive[0] == 20);
    CHECK(alive[20] < 10);
    for (std::size_t l = 1; l <= 20; ++l) CHECK(alive[l] <= alive[l - 1]);
    CHECK(report.summary.find("before the last layer") != std::string::npos);
    const Report narrow = run({{"width", "1"}, {"layers", "30"}, {"samples", "2"}, {"draws", "3"}});
    CHECK(narrow.summary.find("3 of 3 draws end before the last layer") != std::string::npos);
    CHECK(narrow.summary.find("well-behaved") == narrow.summary.find("well-behaved or pathological"));
    const Report vanished = run({{"weightScale", "0.25"}, {"biasVariance", "1"}, {"width", "16"}, {"layers", "60"}, {"draws", "2"}});
    CHECK(scalarOf(vanished, "pathology") == 1);
    CHECK(vanished.summary.find("zero variance") != std::string::npos);
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
