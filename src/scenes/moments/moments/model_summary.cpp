#include <cmath>

#include "scenes/moments/declaration_nets.h"
#include "scenes/moments/moments/model_report.h"

namespace kappaflow::moments {
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
