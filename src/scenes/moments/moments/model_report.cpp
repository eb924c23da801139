#include <cmath>
#include <limits>

#include "scene/filled_report.h"
#include "scenes/moments/declaration_nets.h"
#include "scenes/moments/moments/model.h"

namespace kappaflow::moments {
namespace {

bool anyDefined(const Vector& values) {
    for (const double value : values)
        if (std::isfinite(value)) return true;
    return false;
}

/// Left out where nothing is defined for the kind of network.
Array* addDefined(FilledReport& r, const std::string& name, std::vector<Axis> axes, Vector values) {
    if (!anyDefined(values)) return nullptr;
    Array& array = r.add(name, std::move(axes), std::move(values));
    array.mayBeUndefined = true;
    return &array;
}

void addBanded(FilledReport& r, const std::string& name, const std::vector<Axis>& axes, const Banded& band) {
    if (Array* mean = addDefined(r, name, axes, band.mean)) mean->standardError = band.error;
    addDefined(r, name + "Low", axes, band.low);
    addDefined(r, name + "High", axes, band.high);
}

void addCurves(FilledReport& r, const random_nets::NetSetup& s, const NetResult& net) {
    const std::vector<Axis> layers{countedAxis("layer", s.net.layers + 1)};
    for (Size c = 0; c < kCurveCount; ++c) addBanded(r, kCurves[c].name, layers, net.statistics.curves[c]);
    addDefined(r, "chiMedian", layers, net.statistics.chiMedian);
    for (Size t = 0; t < kTheoryCount; ++t) addDefined(r, kTheory[t][0], layers, net.statistics.theory[t]);
    r.add("alive", layers, net.statistics.alive);
    if (net.fits.predicted)
        addDefined(r, "powerLaw", layers, lawBeside(net.statistics.curves[static_cast<Size>(Curve::Chi)].mean, net.fits.predicted->value));
}

Axis netAxis(const Progress& p) {
    Axis axis{"net", {}, {}};
    for (const NetResult& net : p.nets) axis.keys.emplace_back(p.given() ? kGivenNet : random_nets::keyOf(net.kind));
    return axis;
}

/// One net's layers after the other's.
Vector joined(const Progress& p, Size curve, Vector Banded::*part) {
    Vector all;
    for (const NetResult& net : p.nets) {
        const Vector& one = net.statistics.curves[curve].*part;
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

void addCompared(FilledReport& r, const random_nets::NetSetup& s, const Progress& p) {
    if (p.nets.size() < 2) return;
    const std::vector<Axis> axes{netAxis(p), countedAxis("layer", s.net.layers + 1)};
    for (Size c = 0; c < kCurveCount; ++c)
        if (kCurves[c].compared)
            addBanded(r, std::string(kCurves[c].name) + "Compared", axes,
                      {joined(p, c, &Banded::mean), joined(p, c, &Banded::low), joined(p, c, &Banded::high), joined(p, c, &Banded::error)});
    Vector rates, exponents, pathologies;
    for (const NetResult& net : p.nets) {
        rates.push_back(net.fits.rate ? net.fits.rate->value : kUndefined);
        exponents.push_back(net.fits.exponent ? net.fits.exponent->value : kUndefined);
        pathologies.push_back(net.fits.pathology ? *net.fits.pathology : kUndefined);
    }
    addDefined(r, "rateCompared", {axes[0]}, std::move(rates));
    addDefined(r, "exponentCompared", {axes[0]}, std::move(exponents));
    addDefined(r, "pathologyCompared", {axes[0]}, std::move(pathologies));
}

/// Points of the clouds; 0 when there is none yet.
Size pointsShown(const Progress& p) { return p.nets[0].clouds.empty() ? 0 : p.nets[0].clouds[0].signal.size() / 2; }

void addClouds(FilledReport& r, const random_nets::NetSetup& s, const Progress& p) {
    const Size points = pointsShown(p), layers = s.net.layers + 1;
    if (points == 0) return;
    const Axis nets = netAxis(p), byLayer = countedAxis("layer", layers), byPoint = countedAxis("point", points),
               coordinate = countedAxis("coordinate", 2);
    Vector signal, noise, size, spread, share;
    for (const NetResult& net : p.nets)
        for (Size l = 0; l < layers; ++l) {
            const LayerCloud none{Vector(2 * points, kUndefined), Vector(2 * points, kUndefined), kUndefined, kUndefined, kUndefined};
            const LayerCloud& cloud = l < net.clouds.size() ? net.clouds[l] : none;
            signal.insert(signal.end(), cloud.signal.begin(), cloud.signal.end());
            noise.insert(noise.end(), cloud.noise.begin(), cloud.noise.end());
            size.push_back(cloud.size);
            spread.push_back(cloud.spread);
            share.push_back(cloud.share);
        }
    addDefined(r, "cloudSignal", {nets, byLayer, byPoint, coordinate}, std::move(signal));
    addDefined(r, "cloudNoise", {nets, byLayer, byPoint, coordinate}, std::move(noise));
    addDefined(r, "cloudNoiseSize", {nets, byLayer}, std::move(size));
    addDefined(r, "cloudSpread", {nets, byLayer}, std::move(spread));
    addDefined(r, "cloudShare", {nets, byLayer}, std::move(share));
}

void addEstimate(FilledReport& r, const char* name, const std::optional<Estimate>& estimate) {
    if (!estimate) return;
    Scalar& scalar = r.add(name, estimate->value);
    scalar.standardError = estimate->error;
    scalar.draws = estimate->draws;
}

void addScalars(FilledReport& r, const random_nets::NetSetup& s, const Progress& p) {
    const Fits& fits = p.nets[0].fits;
    addEstimate(r, "rate", fits.rate);
    addEstimate(r, "rateLate", fits.rateLate);
    addEstimate(r, "exponent", fits.exponent);
    addEstimate(r, "exponentLate", fits.exponentLate);
    addEstimate(r, "exponentPredicted", fits.predicted);
    if (p.plateau > 0) r.add("plateau", p.plateau);
    const double points = p.given() ? p.points : s.points();
    if (s.net.normalised()) r.add("kurtosisCeiling", (points * points - 3 * points + 3) / (points - 1));
    if (fits.pathology) r.add("pathology", *fits.pathology);
    if (fits.last > 0) r.add("fittedLayers", static_cast<double>(fits.last));
    r.add("points", points);
}

void addKinds(FilledReport& r, const Progress& p) {
    if (!p.given()) return;
    Vector kinds{0};
    kinds.insert(kinds.end(), p.kinds.begin(), p.kinds.end());
    Axis layers = countedAxis("layer", kinds.size());
    r.add("layerKind", {std::move(layers)}, std::move(kinds));
}

}  // namespace

Report makeReport(const random_nets::NetSetup& s, const Progress& p) {
    FilledReport r("moments");
    r.report.status = p.finished ? Status::Ok : Status::Partial;
    r.report.message = p.finished ? "" : p.given() ? "More data and noise are being drawn." : "More networks are being drawn.";
    if (p.nets.empty() || p.nets[0].statistics.curves.empty()) return std::move(r.report);
    addCurves(r, s, p.nets[0]);
    addCompared(r, s, p);
    addClouds(r, s, p);
    addScalars(r, s, p);
    addKinds(r, p);
    r.report.summary = summaryOf(p);
    return std::move(r.report);
}

namespace {

double lastOf(const NetResult& net, Curve curve) { return net.statistics.curves[static_cast<Size>(curve)].mean[net.fits.last]; }

std::string nameOf(MomentKind kind) { return random_nets::nameOfNet(random_nets::keyOf(kind)); }

bool isResidual(const NetResult& net) { return net.kind == MomentKind::Resnet || net.kind == MomentKind::ResnetPlain; }

/// What is counted by l.
const char* stepOf(const NetResult& net) { return isResidual(net) ? "unit" : "layer"; }

/// Rounding of what is zero is printed as such.
std::string slopeInWords(double slope) { return inWords(std::abs(slope) < 1e-9 ? 0 : slope); }

/// Where most draws end before the last layer nothing is well-behaved.
std::string verdictOf(const NetResult& net) {
    if (!net.fits.pathology) return "too shallow to be told well-behaved or pathological";
    const int code = *net.fits.pathology;
    const bool ended = net.fits.last + 1 < net.statistics.alive.size();
    if (code == kCannotTell) return "too near to a limit to be told well-behaved or pathological at this width and number of draws";
    return code == 0
               ? ended ? std::string("not pathological as far as ") + stepOf(net) + " " + std::to_string(net.fits.last) : "well-behaved"
           : code == 3 ? "pathological by exploding sensitivity"
                       : std::string("pathological by a ") + kPathologies[code];
}

/// What happens to χ, in the law that its network follows.
std::string growthOf(const NetResult& net) {
    const Fits& f = net.fits;
    const std::string range = " over l = 1 … " + std::to_string(f.last);
    if (f.exponent && f.predicted) {
        std::string text = "χ grows as l to the power " + slopeInWords(f.exponent->value) + range;
        if (f.exponentLate && lateForExponent(f.last) > 1)
            text += ", " + slopeInWords(f.exponentLate->value) + " from l = " + std::to_string(lateForExponent(f.last)) + " on";
        return text + "; the increments predict τ = " + slopeInWords(f.predicted->value);
    }
    if (!f.rate) return std::string("there are too few ") + stepOf(net) + "s for a fit of χ";
    std::string text = "log χ changes by " + slopeInWords(f.rate->value) + " a " + stepOf(net) + range;
    if (f.rateLate && lateForRate(f.last) > 1) text += ", by " + slopeInWords(f.rateLate->value) + " in the deeper half";
    return text;
}

std::string numbersOf(const NetResult& net) {
    const double chi = lastOf(net, Curve::Chi);
    std::string text = std::string("At ") + stepOf(net) + " " + std::to_string(net.fits.last) + " of the " + nameOf(net.kind) + " χ " +
                       (std::isfinite(chi) ? "= " + powerInWords(std::log10(chi)) : "is larger than any number");
    text += ", the signal's effective rank is " + inWords(lastOf(net, Curve::RankSignal)) + " and the noise's " +
            inWords(lastOf(net, Curve::RankNoise)) + ": it is " + verdictOf(net) + "; ";
    return text + growthOf(net) + ".";
}

/// With what the core says of the first, a sentence, in brackets.
std::string collapseOf(const NetResult& net) {
    if (net.collapsed == 0) return "";
    std::string why = net.collapse;
    while (!why.empty() && why.back() == '.') why.pop_back();
    return " " + std::to_string(net.collapsed) + " of " + std::to_string(net.draws) + (net.draws == 1 ? " draw ends" : " draws end") +
           " before the last " + stepOf(net) + (why.empty() ? "" : " (" + why + ")") + ".";
}

/// "layer 7 (activation)".
std::string layerOf(const Progress& p, Size l) {
    return "layer " + std::to_string(l) + " (" + kLayerKinds[static_cast<Size>(p.kinds[l - 1])] + ")";
}

/// Printed in three digits, smaller factors are 1.
constexpr double kLeastGrowth = 1.005;

/// Where χ grows most, as far as it is known.
std::string largestStep(const Progress& p, const NetResult& net) {
    const Vector& delta = net.statistics.curves[static_cast<Size>(Curve::DeltaChi)].mean;
    Size best = 0;
    for (Size l = 1; l <= net.fits.last; ++l)
        if (std::isfinite(delta[l]) && (best == 0 || delta[l] > delta[best])) best = l;
    if (best == 0 || !(delta[best] > kLeastGrowth)) return "; no layer raises it";
    return "; it grows most, by a factor of " + inWords(delta[best]) + ", in " + layerOf(p, best);
}

std::string givenSummary(const Progress& p) {
    const NetResult& net = p.nets[0];
    if (net.fits.last == 0) return "Signal and noise do not pass the first layer of the given network." + collapseOf(net);
    const double chi = lastOf(net, Curve::Chi);
    const std::string all = std::to_string(p.kinds.size());
    const bool whole = net.fits.last == p.kinds.size();
    const std::string place = "At " + layerOf(p, net.fits.last);
    return (whole ? "After all " + all + " layers of the given network χ " : place + " of the given network's " + all + " χ ") +
           (std::isfinite(chi) ? "= " + powerInWords(std::log10(chi)) : "is larger than any number") + largestStep(p, net) + ". " +
           (whole ? "At the output" : place) + " the signal's effective rank is " + inWords(lastOf(net, Curve::RankSignal)) +
           " and the noise's " + inWords(lastOf(net, Curve::RankNoise)) +
           ". Theorems 2–4 are about random weights and draw no curve here." + collapseOf(net);
}

std::string othersOf(const Progress& p) {
    std::string text;
    for (Size i = 1; i < p.nets.size(); ++i)
        if (p.nets[i].draws > 0 && p.nets[i].fits.last > 0)
            text += (text.empty() ? " Beside it, the " : "; the ") + nameOf(p.nets[i].kind) + " is " + verdictOf(p.nets[i]);
    return text.empty() ? "" : text + ".";
}

}  // namespace

std::string summaryOf(const Progress& p) {
    const NetResult& net = p.nets[0];
    if (net.draws == 0) return "The first draw is under way.";
    if (p.given()) return givenSummary(p);
    if (net.fits.last == 0)
        return std::string("No signal passes the first ") + stepOf(net) + " of the " + nameOf(net.kind) + "." + collapseOf(net);
    return numbersOf(net) + collapseOf(net) + othersOf(p);
}

}  // namespace kappaflow::moments
