#include "scenes/moments/moments/model_report.h"

#include <cmath>
#include <limits>

#include "scene/filled_report.h"

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

}  // namespace kappaflow::moments
