// What every scene says in words, read against its report: each number is a field's, each comparison holds there.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

double of(const Report& r, const char* name) {
    const Scalar* scalar = r.scalar(name);
    return scalar ? scalar->value : std::nan("");
}

double first(const Report& r, const char* name) {
    const Array* array = r.array(name);
    return array && !array->values.empty() ? array->values.front() : std::nan("");
}

double last(const Report& r, const char* name) {
    const Array* array = r.array(name);
    return array && !array->values.empty() ? array->values.back() : std::nan("");
}

/// Of an array over values of the parameter that names its axis: where the parameter stands.
double at(const Report& r, const char* name) {
    const Array& array = *r.array(name);
    const auto& axis = array.axes[0];
    const auto found = std::find(axis.values.begin(), axis.values.end(), r.params.number(axis.name));
    return found == axis.values.end() ? std::nan("") : array.values[static_cast<std::size_t>(found - axis.values.begin())];
}

/// Neighbouring trained layers whose last accuracies differ by over an error: the lower one's is larger, and the upper one's.
void addOrder(const Report& r, const char* name, Numbers& into) {
    const Array& a = *r.array(name);
    const std::size_t layers = a.axes[0].size(), epochs = a.axes[1].size();
    double lower = 0, upper = 0;
    for (std::size_t l = 0; l < layers; ++l) {
        into.push_back(a.row(l)[epochs - 1]);
        if (l == 0) continue;
        const double gain = a.row(l - 1)[epochs - 1] - a.row(l)[epochs - 1];
        const double error = std::hypot(a.standardError[l * epochs - 1], a.standardError[(l + 1) * epochs - 1]);
        ++(gain > error ? lower : gain < -error ? upper : into.emplace_back(0));
    }
    into.insert(into.end(), {lower, upper, static_cast<double>(layers) - 1, static_cast<double>(layers), static_cast<double>(epochs) - 1});
}

/// Of the capacity at the inputs: how many share it (e to the entropy), the largest share, where it lies, and how many there are.
void addInputs(const Report& r, Numbers& into) {
    const Array& capacity = *r.array("capacity");
    double whole = 0, entropy = 0, inputs = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < capacity.rowLength(); ++i) {
        const double k = capacity.row(0)[i];
        if (!std::isfinite(k)) continue;
        whole += k, ++inputs;
        if (k > capacity.row(0)[best]) best = i;
    }
    for (std::size_t i = 0; i < capacity.rowLength(); ++i)
        if (const double k = capacity.row(0)[i] / whole; k > 0) entropy -= k * std::log(k);
    const std::size_t columns = capacity.axes.back().size();
    into.insert(into.end(),
                {std::exp(entropy), capacity.row(0)[best] / whole, static_cast<double>(best), static_cast<double>(best % columns),
                 static_cast<double>(best / columns), inputs, static_cast<double>(columns)});
    double starts = 0;
    for (std::size_t i = 0; i < capacity.rowLength(); ++i) starts += capacity.row(capacity.axes[0].size() - 1)[i] > 0;
    into.push_back(starts);
}

/// Newest lags that hold half of the capacity.
void addHalf(const Report& r, Numbers& into) {
    const Array& capacity = *r.array("capacity");
    double whole = 0, sum = 0, lags = 0;
    for (const double k : capacity.values) whole += k;
    while (lags < static_cast<double>(capacity.values.size()) && sum < 0.5 * whole - 1e-9)
        sum += capacity.values[static_cast<std::size_t>(lags++)];
    into.insert(into.end(), {lags, static_cast<double>(capacity.values.size())});
}

/// Of a sweep over channels: random starts over the least loss found, and what a field says where that is largest.
std::pair<double, std::size_t> gapOf(const Report& r) {
    const auto &found = r.array("loss")->values, &best = r.array("lossOptimal")->values;
    std::pair<double, std::size_t> gap{0, 0};
    for (std::size_t i = 0; i < found.size(); ++i)
        if (const double ratio = found[i] / std::max(best[i], of(r, "roundingLoss")); ratio > gap.first) gap = {ratio, i};
    return gap;
}
double largestGap(const Report& r, const char* name) { return r.array(name)->values[gapOf(r).second]; }
bool nowhereAbove(const Report& r) { return gapOf(r).first <= 1.001; }
bool allSure(const Report& r) {
    const auto& sure = r.array("convergedOptimal")->values;
    return std::all_of(sure.begin(), sure.end(), [](double one) { return one == 1; });
}

bool optimal(const Report& r) { return of(r, "optimality") <= 1e-6; }
bool notOptimal(const Report& r) { return of(r, "optimality") > 1e-6; }
template <int code>
bool pathological(const Report& r) {
    return of(r, "pathology") == code;
}

const std::map<std::string, SummaryRules>& scenes() {
    static const Settings kTraining{{"width", "10"}, {"layers", "3"}, {"samples", "60"}, {"steps", "30"}, {"arcs", "2"}};
    static const std::vector<Rule> kWide{{"At this optimum", optimal}, {"which are no optimum", notOptimal}};
    static const std::vector<Rule> kStack{{"The weights are an optimum", [](const Report& r) { return at(r, "optimality") <= 1e-6; }},
                                          {"not an optimum", [](const Report& r) { return at(r, "optimality") > 1e-6; }}};
    static const std::map<std::string, SummaryRules> all{
        {"capacity-diffusion",
         {{{"layers", "12"}},
          {{{"draws", "20"}, {"kernel", "random"}}, {{"network", "strokes-cnn"}}},
          {{"deviationWithin", Of::First},
           {"total", Of::AxisEnd},
           {"total", Of::First},
           {"mean", Of::Errors},
           {"mean", Of::First},
           {"standardDeviation", Of::First},
           {"standardDeviationPredicted", Of::First},
           {"widths", Of::All}},
          {{"stays 1 in every layer",
            [](const Report& r) {
                const auto& total = r.array("total")->values;
                return std::all_of(total.begin(), total.end(), [](double t) { return std::abs(t - 1) < 1e-9; });
            }}},
          addInputs}},
        {"augmented-space", {{}, {}, {}, {}}},
        {"decoupling", {{{"draws", "4000"}}, {}, {{"distanceFromExact", Of::Last}, {"distanceFromApproximate", Of::Last}}, {}}},
        {"nu-continuum",
         {{},
          {{{"nu", "0.5"}}},
          {{"capacity", Of::Axes},
           {"total", Of::First},
           {"total", Of::Last},
           {"total", Of::Largest},
           {"total", Of::Least},
           {"variance", Of::Least}},
          {{"for every ν below 1 and falls to",
            [](const Report& r) {
                const auto& total = r.array("total")->values;
                return *std::min_element(total.begin(), total.end()) < *std::max_element(total.begin(), total.end());
            }}},
          [](const Report& r, Numbers& n) {
              n.insert(n.end(), {0, 1, 1 / std::sqrt(r.params.number("features"))});
          }}},
        {"deep-limit",
         {{{"depths", "20,40"}},
          {{{"exponent", "0.25"}}, {{"exponent", "1"}}, {{"weights", "0,0,1"}}},
          {{"totalVariationToFlow", Of::Last},
           {"totalVariation", Of::Last},
           {"step", Of::AxisEnd},
           {"varianceChain", Of::Axes},
           {"checkCapacity", Of::Errors}},
          {{"a distance that falls as",
            [](const Report& r) { return of(r, "slope") > 0 && last(r, "totalVariationToFlow") < first(r, "totalVariationToFlow"); }},
           {"Depths below",
            [](const Report& r) {
                return !r.warnings.empty() || r.array("step")->axes[0].values.front() > r.params.list("depths").front();
            }},
           {"its mean square grows beyond",
            [](const Report& r) { return r.array("forward") != nullptr || r.params.is("layer", "differential"); }},
           {"capacity scatters without end", [](const Report& r) { return last(r, "varianceChain") > first(r, "varianceChain"); }},
           {"in the limit nothing moves", [](const Report& r) { return last(r, "varianceChain") < first(r, "varianceChain"); }}},
          [](const Report& r, Numbers& n) {
              for (const double variance : r.array("varianceChain")->values) n.push_back(std::sqrt(variance));
              if (!r.array("checkCapacity")) return;
              double gap = 0;
              const auto &measured = r.array("checkCapacity")->values, &predicted = r.array("checkPredicted")->values;
              for (std::size_t i = 0; i < predicted.size(); ++i) gap = std::max(gap, std::abs(measured[i] - predicted[i]));
              n.push_back(gap);
          }}},
        {"shattering",
         {{{"layers", "20"}},
          {{{"epsilon", "0.2"}}},
          {{"maxPathWeight", Of::All}, {"log10MaxPathWeight", Of::All}},
          {},
          [](const Report& r, Numbers& n) {
              for (const double entropy : r.array("pathEntropy")->values) n.push_back(std::exp(entropy));
              for (const double log10 : r.array("log10MaxPathWeight")->values) n.push_back(std::pow(10, log10));
          }}},
        {"lower-layers", {{{"inputsTried", "400"}}, {}, {{"rank", Of::All}, {"functionRank", Of::All}, {"sectors", Of::All}}, {}}},
        {"activation-regions",
         {{{"widths", "6,6"}},
          {{{"path", "circle"}, {"pathRadius", "0.001"}},
           {{"budget", "20"}},
           {{"data", "moons"}, {"steps", "20"}, {"samples", "40"}, {"step", "20"}}},
          {{"accuracy", Of::Last}},
          {{"by the first", [](const Report& r) { return of(r, "exactThrough") < static_cast<double>(r.params.list("widths").size()); }},
           {"last hidden layer",
            [](const Report& r) { return of(r, "exactThrough") == static_cast<double>(r.params.list("widths").size()); }},
           {"The trajectory falls into", [](const Report& r) { return of(r, "pathPieces") > 1; }},
           {"lies outside the window", [](const Report& r) { return of(r, "pathPieces") == 0; }}}}},
        {"trajectory-length",
         {{{"width", "12"}, {"layers", "5"}, {"sweepDraws", "0"}},
          {{{"draws", "8"}}, {{"width", "2"}, {"weightVariance", "100"}, {"draws", "8"}, {"layers", "30"}}, {{"pieces", "20"}}},
          {{"pieces", Of::Last}},
          {{"does not grow", [](const Report& r) { return of(r, "heGrowth") < 1; }},
           {"nothing is left", [](const Report& r) { return last(r, "length") == 0; }}}}},
        {"transitions",
         {{{"width", "12"}, {"layers", "5"}, {"widths", "12"}, {"weightVariances", "4"}},
          {{{"weightVariance", "0.25"}, {"weightVariances", "0.25"}, {"layers", "10"}},
           {{"draws", "4"}},
           {{"pieces", "100"}, {"weightVariance", "64"}}},
          {{"length", Of::All}, {"transitions", Of::All}, {"predicted", Of::All}, {"exactLayers", Of::First}},
          {{"transitions rise by", [](const Report& r) { return of(r, "slope") >= 0; }},
           {"transitions fall by", [](const Report& r) { return of(r, "slope") < 0; }},
           {"more pieces than the limit",
            [](const Report& r) {
                const auto& layers = r.array("exactLayers")->values;
                return *std::min_element(layers.begin(), layers.end()) < static_cast<double>(r.array("length")->axes[1].size() - 1);
            }}},
          [](const Report& r, Numbers& n) { n.push_back(-of(r, "slope")); }}},
        {"dichotomies",
         {{{"depthRemaining", "3"}, {"depths", "2,3"}, {"width", "8"}, {"widths", "4"}},
          {},
          {{"running", Of::Axes}},
          {},
          [](const Report& r, Numbers& n) {
              const Array& running = *r.array("running");
              for (std::size_t d = 0; d < running.axes[0].size(); ++d) n.push_back(running.row(d)[running.rowLength() - 1]);
              const auto& offsets = r.array("labelFlipsOffsets")->values;
              const std::size_t samples = r.array("labelStart")->axes[1].size();
              for (std::size_t i = samples; i < offsets.size(); i += samples) n.push_back(offsets[i] - offsets[i - samples]);
          }}},
        {"subspace",
         {{},
          {{{"w", "0.4"}}},
          {{"capacity", Of::All}, {"capacity", Of::Count}, {"errorShare", Of::All}, {"expectedShare", Of::All}},
          {{"At the optimum", optimal}},
          [](const Report& r, Numbers& n) {
              if (of(r, "squaredError") > 0) n.push_back(of(r, "errorOfSubspace") / of(r, "squaredError"));
              n.push_back(static_cast<double>(r.array("constraints")->axes[1].size()));
          }}},
        {"hierarchical",
         {{{"layers", "4"}}, {{{"start", "random"}, {"compare", "full"}}}, {{"loss", Of::Last}, {"dilations", Of::Count}}, kWide, addHalf}},
        {"recurrent",
         {{{"length", "16"}},
          {{{"start", "random"}, {"compare", "full"}}},
          {{"loss", Of::Last}, {"dilations", Of::Count}},
          kWide,
          addHalf}},
        {"capacity-sweep",
         {{{"layers", "4"}, {"length", "16"}, {"channelsList", "1,2"}, {"iterations", "50"}},
          {{{"model", "recurrent"}, {"channelsList", "12,24"}}},
          {{"parameters", Of::All}, {"loss", Of::All}, {"lossOptimal", Of::All}, {"totalCapacity", Of::All}, {"numericalRank", Of::All}},
          {{"comes down to the optimum everywhere", [](const Report& r) { return nowhereAbove(r) && allSure(r); }},
           {"comes as low as the best found everywhere", [](const Report& r) { return nowhereAbove(r) && !allSure(r); }},
           {"where the optimum is", [](const Report& r) { return !nowhereAbove(r) && largestGap(r, "convergedOptimal") == 1; }},
           {"where the best found is", [](const Report& r) { return !nowhereAbove(r) && largestGap(r, "convergedOptimal") == 0; }},
           {"and the optimum 0", [](const Report& r) { return largestGap(r, "totalCapacity") == r.params.number("length"); }}},
          [](const Report& r, Numbers& n) { n.push_back(std::pow(2, r.params.number("layers"))); }}},
        {"layer-contributions",
         {{{"layers", "4"}, {"channels", "2"}},
          {},
          {{"chainTotal", Of::All}, {"chainReverseTotal", Of::All}},
          {},
          [](const Report& r, Numbers& n) {
              for (std::size_t l = 0; l < r.array("redundant")->values.size(); ++l)
                  if (r.array("redundant")->values[l] != 0) n.push_back(static_cast<double>(l + 1));
          }}},
        {"multi-input",
         {{{"components", "2"}, {"channels", "2"}, {"layers", "4"}, {"steps", "60"}},
          {},
          {{"meanLag", Of::All}, {"optimality", Of::All}, {"totals", Of::All}},
          kStack,
          [](const Report& r, Numbers& n) {
              const Array& capacity = *r.array("capacity");
              double newest = 0, oldest = 0;
              const auto components = static_cast<double>(capacity.axes[0].size());
              for (std::size_t c = 0; c < capacity.axes[0].size(); ++c)
                  newest += capacity.row(c)[0], oldest += capacity.row(c)[capacity.axes[1].size() - 1];
              n.insert(n.end(), {newest / components, oldest / components, components});
          }}},
        {"wavenet",
         {{{"block", "1,2"}, {"repeats", "2"}, {"steps", "60"}},
          {},
          {{"bound", Of::All}, {"numericalRank", Of::All}},
          {{"not an optimum",
            [](const Report& r) {
                return std::max(of(r, "optimalityTiled"), of(r, "optimalityRepeated")) > 1e-6 || std::isnan(of(r, "optimalityTiled")) ||
                       std::isnan(of(r, "optimalityRepeated"));
            }}}}},
        {"feature-map",
         {{{"degree", "2"}, {"channels", "1"}, {"layers", "3"}, {"steps", "60"}},
          {},
          {{"capacity", Of::First}, {"meanLag", Of::All}, {"optimality", Of::All}},
          kStack}},
        {"errors-vs-capacity",
         {{{"layers", "4"}, {"channels", "2"}, {"draws", "4"}, {"iterations", "60"}},
          {},
          {{"bound", Of::Count}},
          {{"ended in an optimum", [](const Report& r) { return of(r, "optimalDraws") <= r.params.number("draws"); }}}}},
        {"signal-and-noise",
         {{},
          {{{"gain", "0.5"}}},
          {},
          {{"it reduces noise", [](const Report& r) { return of(r, "chi") < 1; }},
           {"it amplifies noise", [](const Report& r) { return of(r, "chi") > 1; }},
           {"neither reduces nor amplifies noise", [](const Report& r) { return std::abs(of(r, "chi") - 1) < 0.005; }}},
          [](const Report& r, Numbers& n) {
              for (const char* name : {"snrIn", "snrOut", "snrOutActual"}) n.push_back(10 * std::log10(of(r, name)));
          }}},
        {"moments",
         {{{"width", "16"}, {"layers", "12"}, {"samples", "16"}, {"draws", "3"}},
          {{{"net", "resnet"}, {"layers", "30"}},
           {{"weightScale", "0.25"}, {"biasVariance", "1"}, {"layers", "30"}},
           {{"width", "2"}, {"layers", "20"}},
           {{"network", "shapes-classifier"}}},
          {{"chi", Of::All}, {"rankSignal", Of::All}, {"rankNoise", Of::All}, {"deltaChi", Of::Largest}, {"layerKind", Of::Count}},
          {{"it is well-behaved", pathological<0>},
           {"it is pathological by a zero-dimensional signal", pathological<1>},
           {"it is pathological by a one-dimensional signal", pathological<2>},
           {"it is pathological by exploding sensitivity", pathological<3>},
           {"too near to a limit to be told well-behaved or pathological at this width",
            [](const Report& r) { return r.array("pathologyCompared") || of(r, "pathology") == 4; }},
           {"too shallow to be told well-behaved or pathological", [](const Report& r) { return !r.scalar("pathology"); }},
           {"not pathological as far as", pathological<0>},
           {"χ grows as l to the power", [](const Report& r) { return r.scalar("exponent") && r.scalar("exponentPredicted"); }},
           {"it grows most, by a factor of", [](const Report& r) { return r.array("deltaChi") != nullptr; }}},
          [](const Report& r, Numbers& n) {
              const double layers = r.params.number("layers"), reached = of(r, "fittedLayers");
              n.insert(n.end(), {1, std::max(1.0, std::floor(reached / 5)), layers + 1, reached + 1});
              const auto& alive = r.array("alive")->values;
              n.insert(n.end(), {alive.front(), alive.front() - alive.back()});
              const auto& delta = r.array("deltaChi")->values;
              Numbers::const_iterator best = delta.end();
              for (auto d = delta.begin(); d != delta.end(); ++d)
                  if (std::isfinite(*d) && (best == delta.end() || *d > *best)) best = d;
              n.push_back(static_cast<double>(best - delta.begin()));
          }}},
        {"moment-diffusion",
         {{{"width", "16"}, {"layers", "20"}, {"draws", "100"}},
          {},
          {{"meanLog", Of::Last}, {"meanLogTheory", Of::Last}},
          {},
          [](const Report& r, Numbers& n) {
              n.push_back(of(r, "driftPredicted") * r.params.number("layers"));
              n.push_back(std::sqrt(of(r, "diffusionPredicted") * r.params.number("layers")));
          }}},
        {"sensitivity-theorems",
         {{{"width", "16"}, {"layers", "8"}, {"samples", "16"}, {"draws", "6"}},
          {{{"net", "resnet"}, {"skipScale", "0"}, {"expectation", "channels"}}, {{"width", "1"}, {"layers", "30"}}},
          {},
          {{"% above", [](const Report& r) { return of(r, "meanRatio") > 1; }},
           {"% below", [](const Report& r) { return of(r, "meanRatio") < 1; }},
           {"equal to", [](const Report& r) { return std::abs(of(r, "meanRatio") - 1) < 1e-6; }},
           {"the variance of branches grows exponentially",
            [](const Report& r) { return last(r, "branchVariance") > 4 * r.array("branchVariance")->values[1]; }}},
          [](const Report& r, Numbers& n) { n.push_back(100 * std::abs(of(r, "meanRatio") - 1)); }}},
        {"training-tradeoff",
         {kTraining,
          {{{"weightVariance", "3"}}, {{"steps", "10"}, {"learningRate", "0.00001"}}, {{"meanImage", "1"}, {"learningRate", "0.05"}}},
          {{"accuracy", Of::Last}, {"testAccuracy", Of::Last}},
          {{"lengths fall, and faster between samples",
            [](const Report& r) { return of(r, "lastLayerChange") < 1 && of(r, "lastLayerChange") < of(r, "lastLayerChangeRandom"); }},
           {"lengths fall between samples, but not faster than between random points",
            [](const Report& r) { return of(r, "lastLayerChange") < 1 && of(r, "lastLayerChange") >= of(r, "lastLayerChangeRandom"); }},
           {"lengths rise between samples", [](const Report& r) { return of(r, "lastLayerChange") > 1; }},
           {"they end longer by over a standard error in", [](const Report& r) { return r.scalar("risingLayers") != nullptr; }}}}},
        {"remaining-depth",
         {{{"width", "8"}, {"layers", "4"}, {"samples", "60"}, {"epochs", "3"}, {"batch", "20"}},
          {{{"draws", "1"}}, {{"layers", "2"}}},
          {},
          {{"the lower one does better", [](const Report& r) { return r.array("trainAccuracy") != nullptr; }},
           {"always does better", [](const Report& r) { return of(r, "inversionsTrain") + of(r, "inversionsTest") == 0; }}},
          [](const Report& r, Numbers& n) {
              addOrder(r, "trainAccuracy", n);
              addOrder(r, "testAccuracy", n);
          }}},
        {"network-lens",
         {{{"widths", "6,6"}, {"steps", "20"}, {"step", "20"}, {"samples", "60"}},
          {},
          {{"holders", Of::All}, {"chi", Of::All}, {"accuracy", Of::Last}, {"length", Of::All}},
          {{"The window falls into", [](const Report& r) { return of(r, "regions") > 1; }},
           {"noise grows", [](const Report& r) { return last(r, "chi") > 0; }}}}}};
    return all;
}

/// The base, every further setting and every option of every choice beside it, with one seed after another.
std::vector<Settings> settingsOf(const Declaration& declaration, const SummaryRules& scene) {
    const auto with = [&](const Settings& more) {
        Settings all = scene.base;
        for (const auto& [key, value] : more) {
            const auto same = std::find_if(all.begin(), all.end(), [&, k = key](const auto& m) { return m.first == k; });
            if (same == all.end())
                all.emplace_back(key, value);
            else
                same->second = value;
        }
        return all;
    };
    std::vector<Settings> all{scene.base};
    for (const Settings& more : scene.more) all.push_back(with(more));
    for (const Param& param : declaration.params) {
        if (param.affects != Affects::Request || param.kind != Kind::Choice) continue;
        for (const auto& option : param.options) all.push_back(with({{param.key, std::string(option.key)}}));
    }
    if (declaration.param("seed"))
        for (std::size_t i = 0; i < all.size(); ++i) all[i].emplace_back("seed", std::to_string(1 + i % 5));
    return all;
}

}  // namespace

TEST_CASE("every number of a summary is a field's, and every comparison in it holds, over seeds and options") {
    for (const auto& declaration : declarations()) {
        REQUIRE_MESSAGE(scenes().count(declaration.id), declaration.id);
        const SummaryRules& scene = scenes().at(declaration.id);
        for (const Settings& settings : settingsOf(declaration, scene)) {
            std::string said = declaration.id;
            for (const auto& [key, value] : settings) said += " " + key + "=" + value;
            CAPTURE(said);
            const Report report = runRequest(requestOf(declaration.id, settings));
            CHECK_FALSE(report.summary.empty());
            for (const std::string& fault : faultsOf(report, scene)) FAIL_CHECK(fault << "\n" << report.summary);
        }
    }
}

TEST_CASE("the reader of summaries sees wrong numbers and comparisons that do not hold") {
    Report report = runRequest(requestOf("signal-and-noise", {}));
    const SummaryRules& scene = scenes().at("signal-and-noise");
    REQUIRE(faultsOf(report, scene).empty());
    const std::string said = report.summary;
    for (const auto& [from, to] :
         {std::pair{"reduces", "amplifies"}, {"0.256", "0.257"}, {"20.2 dB", "20.3 dB"}, {"it reduces noise", "noise falls"}}) {
        report.summary = said;
        const std::size_t at = said.find(from);
        REQUIRE(at != std::string::npos);
        report.summary.replace(at, std::strlen(from), to);
        CHECK_MESSAGE(!faultsOf(report, scene).empty(), report.summary);
    }
    const auto numbers = numbersIn("Theorem 2 gives 1.39·10⁻²⁴ of -0.12, 7360 and 5.6e-16; W^(4), 36.4 % (Eqs 6 and 7).");
    REQUIRE(numbers.size() == 5);
    CHECK(numbers[0].value == doctest::Approx(1.39e-24));
    CHECK(numbers[1].value == -0.12);
    CHECK(numbers[2].tolerance == doctest::Approx(5).epsilon(0.01));
    CHECK(numbers[3].value == doctest::Approx(5.6e-16).epsilon(1e-12));
    CHECK((numbers[4].percent && numbers[4].value == 36.4));
}
