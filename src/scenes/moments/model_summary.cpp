#include <cmath>

#include "scenes/moments/model_report.h"
#include "scenes/random_nets/declaration_nets.h"

namespace kappaflow::moments {
namespace {

double lastOf(const NetResult& net, Curve curve) { return net.statistics.curves[static_cast<Size>(curve)].mean[net.fits.last]; }

std::string nameOf(MomentKind kind) { return random_nets::nameOfNet(random_nets::keyOf(kind)); }

std::string verdictOf(const NetResult& net) {
    if (!net.fits.pathology) return "too shallow to be told well-behaved or pathological";
    const int code = *net.fits.pathology;
    return code == 0   ? "well-behaved"
           : code == 3 ? "pathological by exploding sensitivity"
                       : std::string("pathological by a ") + kPathologies[code];
}

/// What happens to χ, in the law that its network follows.
std::string growthOf(const random_nets::NetSetup& s, const NetResult& net) {
    const Fits& f = net.fits;
    const std::string range = " over l = 1 … " + std::to_string(f.last);
    if (net.kind == MomentKind::Resnet && f.exponent && s.net.skipScale > 0) {
        std::string text = "χ grows as l to the power " + inWords(f.exponent->value) + range;
        if (f.exponentLate && lateForExponent(f.last) > 1)
            text += ", " + inWords(f.exponentLate->value) + " from l = " + std::to_string(lateForExponent(f.last)) + " on";
        if (f.predicted) text += "; the increments predict τ = " + inWords(f.predicted->value);
        return text;
    }
    if (!f.rate) return "there are too few layers for a fit of χ";
    std::string text = "log χ changes by " + inWords(f.rate->value) + " a layer" + range;
    if (f.rateLate && f.last >= 4) text += ", by " + inWords(f.rateLate->value) + " in the deeper half";
    return text;
}

std::string numbersOf(const random_nets::NetSetup& s, const NetResult& net) {
    const double chi = lastOf(net, Curve::Chi);
    std::string text = "At layer " + std::to_string(net.fits.last) + " of the " + nameOf(net.kind) + " χ " +
                       (std::isfinite(chi) ? "= " + powerInWords(std::log10(chi)) : "is larger than any number");
    text += ", the signal's effective rank is " + inWords(lastOf(net, Curve::RankSignal)) + " and the noise's " +
            inWords(lastOf(net, Curve::RankNoise)) + ": it is " + verdictOf(net) + "; ";
    return text + growthOf(s, net) + ".";
}

/// With what the core says of the first, a sentence, in brackets.
std::string collapseOf(const NetResult& net) {
    if (net.collapsed == 0) return "";
    std::string why = net.collapse;
    while (!why.empty() && why.back() == '.') why.pop_back();
    return " " + std::to_string(net.collapsed) + " of " + std::to_string(net.draws) + (net.draws == 1 ? " draw ends" : " draws end") +
           " before the last layer" + (why.empty() ? "" : " (" + why + ")") + ".";
}

std::string othersOf(const Progress& p) {
    std::string text;
    for (Size i = 1; i < p.nets.size(); ++i)
        if (p.nets[i].fits.last > 0)
            text += (text.empty() ? " Beside it, the " : "; the ") + nameOf(p.nets[i].kind) + " is " + verdictOf(p.nets[i]);
    return text.empty() ? "" : text + ".";
}

}  // namespace

std::string summaryOf(const random_nets::NetSetup& s, const Progress& p) {
    const NetResult& net = p.nets[0];
    if (net.fits.last == 0) return "No signal passes the first layer of the " + nameOf(net.kind) + "." + collapseOf(net);
    return numbersOf(s, net) + collapseOf(net) + othersOf(p);
}

}  // namespace kappaflow::moments
