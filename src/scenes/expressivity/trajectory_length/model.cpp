#include "scenes/expressivity/trajectory_length/model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scene/filled_report.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace trajectory_length {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kSlice = 4e6;  ///< multiply-adds, a millisecond or two
/// Streams of sampled points: draws count up from 0, the drawn network's two samples stand behind all of them.
constexpr std::uint64_t kPilotStream = 1u << 30, kDeepStream = kPilotStream + 1;

CurvePieces startOf(const Setup& s, std::size_t draw) {
    return s.trajectory.through(s.x0.empty() ? randomEnds(s.inputs(), s.seed, draw) : RandomEnds{s.x0, s.x1});
}

/// As many points as the curve at its longest is long, in units of its input length.
std::size_t pointsFor(const Setup& s, const std::vector<SampledLength>& lengths) {
    if (s.points > 0) return s.points;
    double longest = 0;
    for (const SampledLength& length : lengths) longest = std::max(longest, length.value);
    const double ratio = lengths[0].value > 0 ? longest / lengths[0].value : 1;
    return static_cast<std::size_t>(std::clamp(40 * ratio, static_cast<double>(kLeastPoints), static_cast<double>(kMostPoints)));
}

}  // namespace

DrawnRun::DrawnRun(const Setup& setup)
    : setup_(setup),
      layers_(setup.layersOf(0)),
      start_(startOf(setup, 0)),
      pilot_(layers_, start_, Rng(setup.seed, Purpose::MonteCarlo, kPilotStream), {0, kPilot, kPilot}),
      followed_(layers_, start_, {setup.limits(), {setup.precision, kPilot, kMostStrata}},
                Rng(setup.seed, Purpose::MonteCarlo, kDeepStream)) {}

bool DrawnRun::advance() {
    if (!pilot_.finished()) {
        if (!pilot_.advance(kSlice)) finishPilot();
        return true;
    }
    if (images_.size() <= layers_.size()) {
        planes_->advance();
        images_ = planes_->images();
        return true;
    }
    return followed_.advance(kSlice);
}

void DrawnRun::finishPilot() {
    pilotLengths_ = pilot_.lengths();
    const double from = start_.ends.front(), to = start_.ends.back();
    places_ = drawingPoints(from, to, pointsFor(setup_, pilotLengths_), pilot_.lengthByBin(), TangentSampler::kBins);
    std::vector<std::array<double, 2>> reference;
    for (const double t : places_) reference.push_back(setup_.trajectory.at(t));
    planes_.emplace(layers_, start_, places_, std::move(reference));
}

std::vector<SampledLength> DrawnRun::lengths() const {
    std::vector<SampledLength> lengths = pilotLengths_;
    if (lengths.empty()) return lengths;
    for (SampledLength& length : lengths)
        if (!(length.value > 0)) length.standardError = kNone;
    const std::vector<SampledLength> followed = followed_.lengths();
    std::copy(followed.begin(), followed.end(), lengths.begin());
    return lengths;
}

double DrawnRun::progress() const {
    const double layers = static_cast<double>(layers_.size()), drawn = static_cast<double>(images_.size()) / (layers + 1);
    return 0.1 * pilot_.progress() + 0.2 * drawn + 0.7 * (images_.size() > layers_.size() ? followed_.progress() : 0);
}

void LengthMeans::add(const std::vector<SampledLength>& lengths) {
    if (draws_ == 0) first_ = lengths;
    ++draws_;
    lost_ += !(lengths.back().value > 0);
    for (std::size_t l = 0; l < lengths.size(); ++l) {
        sum_[l] += lengths[l].value;
        square_[l] += lengths[l].value * lengths[l].value;
        if (l > 0) product_[l] += lengths[l].value * lengths[l - 1].value;
    }
}

SampledLength LengthMeans::mean(std::size_t layer) const {
    if (draws_ < 2) return draws_ == 0 ? SampledLength{} : first_[layer];
    const double mean = sum_[layer] / draws_, variance = std::max(square_[layer] / draws_ - mean * mean, 0.0);
    return {mean, mean > 0 || layer == 0 ? std::sqrt(variance / (draws_ - 1)) : kNone};
}

SampledLength LengthMeans::growth(std::size_t layer) const {
    const SampledLength before = mean(layer - 1), here = mean(layer);
    if (!(before.value > 0)) return {kNone, kNone};
    const double ratio = here.value / before.value;
    if (!(here.value > 0)) return {0, draws_ < 2 ? here.standardError : kNone};
    const double a = before.standardError / before.value, b = here.standardError / here.value;
    if (draws_ < 2) return {ratio, ratio * std::hypot(a, b)};
    const double together = (product_[layer] / draws_ / (before.value * here.value) - 1) / (draws_ - 1);
    return {ratio, ratio * std::sqrt(std::max(a * a + b * b - 2 * together, 0.0))};
}

Progress::Progress(const Setup& s) : setup(s), drawn(s), further(s.layers), sweep(s.sweepPlan()) {}

bool Progress::advance() {
    if (!drawnDone_) {
        drawnDone_ = !drawn.advance();
        if (drawnDone_) further.add(drawn.lengths());
        return true;
    }
    if (draw_ < setup.draws) {
        advanceDraw();
        return true;
    }
    if (!sweepDone_) sweepDone_ = !sweep.advance(kSlice);
    return !sweepDone_;
}

void Progress::advanceDraw() {
    if (!curve_) {
        layers_ = setup.layersOf(draw_);
        curve_.emplace(layers_, startOf(setup, draw_), planOfDraw(static_cast<double>(setup.widest())),
                       Rng(setup.seed, Purpose::MonteCarlo, draw_));
    }
    if (curve_->advance(kSlice)) return;
    further.add(curve_->lengths());
    curve_.reset();
    ++draw_;
}

LengthMeans Progress::means() const {
    if (drawnDone_) return further;
    LengthMeans only(setup.layers);
    if (!drawn.lengths().empty()) only.add(drawn.lengths());
    return only;
}

double Progress::share() const {
    const double draws = setup.draws > 1 ? static_cast<double>(draw_ - 1) / static_cast<double>(setup.draws - 1) : 1;
    if (!drawnDone_) return 0.5 * drawn.progress();
    if (draw_ < setup.draws) return 0.5 + 0.2 * draws;
    return 0.7 + 0.3 * (sweepDone_ ? 1 : sweep.progress());
}

namespace {

Axis layerAxis(const Setup& s) { return countedAxis("layer", s.layers + 1); }

/// Images as far as they are made; rows that are still missing repeat the last one, so that the timeline can run.
void addImages(FilledReport& r, const Setup& s, const DrawnRun& run) {
    const auto& images = run.images();
    const Size points = run.places().size();
    if (images.empty()) return;
    Vector at, shares;
    for (Size l = 0; l <= s.layers; ++l) {
        const PlaneImage& image = images[std::min(l, images.size() - 1)];
        for (const auto& point : image.at) at.insert(at.end(), {point[0], point[1]});
        shares.push_back(image.share);
    }
    r.add("image", {layerAxis(s), countedAxis("point", points), {"coordinate", {}, {"x", "y"}}}, std::move(at));
    r.add("place", {countedAxis("point", points)}, run.places());
    r.add("planeShare", {layerAxis(s)}, std::move(shares));
}

void addLengths(FilledReport& r, const Setup& s, const LengthMeans& means) {
    Vector lengths, errors, growths{kNone}, growthErrors{kNone};
    for (Size l = 0; l <= s.layers; ++l) {
        const SampledLength length = means.mean(l);
        lengths.push_back(length.value);
        errors.push_back(length.standardError);
        if (l == 0) continue;
        const SampledLength growth = means.growth(l);
        growths.push_back(growth.value);
        growthErrors.push_back(growth.standardError);
    }
    const double first = lengths.front(), last = lengths.back();
    Array& length = r.add("length", {layerAxis(s)}, std::move(lengths));
    length.mayBeUndefined = std::any_of(errors.begin(), errors.end(), [](double error) { return std::isnan(error); });
    length.standardError = std::move(errors);
    Array& growth = r.add("growth", {layerAxis(s)}, std::move(growths));
    growth.standardError = std::move(growthErrors);
    growth.mayBeUndefined = true;
    const double ratio = first > 0 ? last / first : 0;
    r.add("lengthRatio", ratio).draws = means.draws();
    if (s.draws > 1) r.add("lostDraws", means.lost());
    r.add("growthPerLayer", std::pow(ratio, 1 / static_cast<double>(s.layers)));
}

void addPieces(FilledReport& r, const Setup& s, const DrawnRun& run) {
    r.add("exactLayers", static_cast<double>(run.exactLayers()));
    r.add("points", run.sampledPoints());
    if (!s.isExact()) return;
    Vector pieces(s.layers + 1, kNone), transitions(s.layers + 1, kNone);
    for (Size l = 0; l < run.passages().size(); ++l) {
        pieces[l] = static_cast<double>(run.passages()[l].pieces);
        transitions[l] = run.passages()[l].transitions;
    }
    r.add("pieces", {layerAxis(s)}, std::move(pieces)).mayBeUndefined = true;
    r.add("transitions", {layerAxis(s)}, std::move(transitions)).mayBeUndefined = true;
}

void addTheory(FilledReport& r, const Setup& s, double first) {
    Vector meanField = meanFieldLengths(s);
    for (double& length : meanField) length *= first;
    r.add("meanField", {layerAxis(s)}, std::move(meanField));
    r.add("meanFieldGrowth", std::sqrt(meanFieldFixedPoint(s.setting).chi));
    r.add("upperBound", {layerAxis(s)}, powers(first, growthUpperBound(s.setting), s.layers));
    if (const double base = theoremBase(s.setting); base > 0) {
        r.add("theoremBase", {layerAxis(s)}, powers(first, base, s.layers));
        r.add("base", base);
    }
    if (const double growth = exactGrowth(s.setting); growth > 0) {
        r.add("exactLength", {layerAxis(s)}, powers(first, growth, s.layers));
        r.add("exactGrowth", growth);
    }
    if (s.setting.activation == Activation::Relu) r.add("heGrowth", reluGrowth(s.setting.width, 2));
}

void addSweep(FilledReport& r, const Setup& s, const GrowthSweep& sweep) {
    if (s.sweepDraws == 0) return;
    const auto settings = s.sweepPlan().settings;
    const Axis widths{"width", s.widths, {}}, variances{"weightVariance", s.variances, {}};
    Vector growths, errors, drawn, bases, exact, meanField, upper;
    for (Size i = 0; i < settings.size(); ++i) {
        const SampledLength growth = sweep.growth(i);
        const bool known = sweep.draws(i) > 1 && growth.value > 0;
        growths.push_back(known ? growth.value : kNone);
        errors.push_back(known ? growth.standardError : kNone);
        drawn.push_back(sweep.draws(i));
        bases.push_back(theoremBase(settings[i]));
        exact.push_back(exactGrowth(settings[i]));
        if (i >= s.variances.size()) continue;
        meanField.push_back(std::sqrt(meanFieldFixedPoint(settings[i]).chi));
        upper.push_back(growthUpperBound(settings[i]));
    }
    Array& growth = r.add("sweepGrowth", {widths, variances}, std::move(growths));
    growth.standardError = std::move(errors);
    growth.mayBeUndefined = true;
    r.add("sweepDrawn", {widths, variances}, std::move(drawn));
    r.add("sweepMeanField", {variances}, std::move(meanField));
    r.add("sweepUpperBound", {variances}, std::move(upper));
    if (theoremBase(s.setting) > 0) r.add("sweepTheoremBase", {widths, variances}, std::move(bases));
    if (exactGrowth(s.setting) > 0) r.add("sweepExact", {widths, variances}, std::move(exact));
}

std::string lengthSentence(const Setup& s, const Progress& p) {
    const LengthMeans means = p.means();
    const double first = means.mean(0).value, last = means.mean(s.layers).value;
    const std::string layers = std::to_string(s.layers) + (s.layers == 1 ? " layer" : " layers");
    const std::string draws = inWords(means.draws()), of = s.isDrawn() ? " networks" : " trajectories";
    if (!(last > 0) && means.draws() > 1) return "After " + layers + " nothing is left of the trajectory in any of " + draws + of + ".";
    if (!(last > 0)) return "After " + layers + " nothing is left of the trajectory: every unit is constant along it.";
    std::string text = "After " + layers + " the trajectory is " + inWords(last / first) + " times as long as in the input";
    if (means.draws() > 1) text += " on average over " + draws + of;
    if (means.lost() > 0) text += ", of which " + inWords(means.lost()) + " have lost it";
    const Size exact = p.drawn.exactLayers();
    if (exact > 0)
        text += (means.draws() > 1 ? "; the first is in " : ", in ") + std::to_string(p.drawn.passages().back().pieces) + " linear pieces" +
                (exact < s.layers ? " at layer " + std::to_string(exact) + ", the last that is exact" : "");
    return text + ".";
}

std::string growthSentence(const Setup& s, const Report& report) {
    const auto value = [&](const char* name) { return inWords(report.scalar(name)->value, 4); };
    std::string text = " That is " + value("growthPerLayer") + " a layer";
    if (!s.isDrawn()) return text + "; Theorem 1 and mean field are about random weights and say nothing of this network.";
    text += "; mean field says " + value("meanFieldGrowth");
    if (report.scalar("exactGrowth")) text += ", the exact mean at width " + inWords(s.setting.width, 4) + " is " + value("exactGrowth");
    if (s.setting.activation == Activation::HardTanh) text += ", Theorem 1 has " + value("base") + " up to a constant in each layer";
    text += ".";
    if (report.scalar("heGrowth")) text += " With He's σ_w² = 2 a ReLU network of this width does not grow: g = " + value("heGrowth") + ".";
    return text;
}

}  // namespace

Report reportOf(const Setup& s, const Progress& p, bool finished) {
    FilledReport r("trajectory-length");
    r.report.status = finished ? Status::Ok : Status::Partial;
    r.report.message = finished ? "" : "The trajectory is being followed.";
    r.report.warnings = s.warnings;
    const LengthMeans means = p.means();
    if (means.draws() == 0) return std::move(r.report);
    addImages(r, s, p.drawn);
    addLengths(r, s, means);
    addPieces(r, s, p.drawn);
    if (s.isDrawn()) addTheory(r, s, means.mean(0).value);
    addSweep(r, s, p.sweep);
    r.report.summary = lengthSentence(s, p) + growthSentence(s, r.report);
    return std::move(r.report);
}

namespace {

class TrajectoryComputation final : public Computation {
public:
    explicit TrajectoryComputation(const Request& request) : request_(request), setup_(readSetup(request)), progress_(setup_) {}

    bool step() override {
        finished_ = !progress_.advance();
        return !finished_;
    }
    double progress() const override { return finished_ ? 1 : progress_.share(); }
    Report report() const override { return reportOf(setup_, progress_, finished_); }
    std::shared_ptr<const Network> network() const override { return std::make_shared<Network>(networkOf(request_)); }

private:
    Request request_;
    Setup setup_;
    Progress progress_;
    bool finished_ = false;
};

std::unique_ptr<Computation> start(const Request& request) { return std::make_unique<TrajectoryComputation>(request); }

}  // namespace
}  // namespace trajectory_length

Model trajectory_length_model() {
    return stepwise<trajectory_length::costOf, trajectory_length::costliestOf, trajectory_length::start>("trajectory-length");
}

}  // namespace kappaflow
