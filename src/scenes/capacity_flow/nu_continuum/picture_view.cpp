#include "scenes/capacity_flow/nu_continuum/picture_view.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"

namespace kappaflow::continuum {
namespace {

using Size = std::size_t;

double place(double nu) { return std::asinh(nu / kAsinhUnit); }

// As a curve is drawn: straight on the scale of ν. At a jump nothing lies between.
Between betweenKnown(const View& v) {
    Size upper = 1;
    while (upper + 1 < v.known.size() && v.nu()[v.known[upper]] < v.at) ++upper;
    if (v.known.size() < 2) return {0, 0, 0};
    const double low = v.nu()[v.known[upper - 1]], high = v.nu()[v.known[upper]];
    const double fraction = std::clamp((place(v.at) - place(low)) / (place(high) - place(low)), 0.0, 1.0);
    const bool across = v.jumps && v.known[upper] + 1 == v.nu().size();
    return {upper - 1, upper, across && fraction < 1 ? 0 : fraction};
}

std::string percent(double share) { return inWords(std::round(100 * share), 3) + " %"; }

std::string linearWords(const View& v) {
    if (!v.jumps) return v.tree ? "the model is linear" : "a linear network: amplitudes of paths add before they are squared";
    const auto& total = v.total->values;
    return "the total falls from " + inWords(total[v.known[v.known.size() - 2]], 4) + " to " + inWords(total.back(), 4) +
           ", all that a linear map can hold";
}

}  // namespace

std::vector<double> View::row(const Array& array) const {
    const double *low = array.row(known[rows.below]), *high = array.row(known[rows.above]);
    std::vector<double> mixed(array.rowLength());
    for (Size i = 0; i < mixed.size(); ++i)
        mixed[i] = rows.fraction == 0 ? low[i] : rows.fraction == 1 ? high[i] : low[i] + (high[i] - low[i]) * rows.fraction;
    return mixed;
}

std::vector<double> View::curve(const Array& array, Size input) const {
    std::vector<double> values(curveLength());
    for (Size i = 0; i < values.size(); ++i) values[i] = array.row(known[i])[input];
    return values;
}

std::vector<double> View::knownNu() const {
    std::vector<double> values(curveLength());
    for (Size i = 0; i < values.size(); ++i) values[i] = nu()[known[i]];
    return values;
}

bool readView(const PictureFrame& f, View& v) {
    const Report& r = f.report;
    v.capacity = r.array("capacity");
    v.total = r.array("total");
    if (!v.capacity || !v.total) return false;
    v.variance = r.array("variance"), v.share = r.array("share"), v.coherence = r.array("coherence");
    v.diffused = r.array("diffused"), v.linear = r.array("linear");
    v.amplitude = r.array("amplitude"), v.layers = r.array("layerCapacity");
    v.crossover = r.scalar("crossover"), v.predicted = r.scalar("predictedCrossover");
    v.equation25Gap = r.scalar("equation25Gap");
    v.ring = v.variance != nullptr;
    v.tree = !v.ring && !v.diffused;
    for (Size i = 0; i < v.nu().size(); ++i)
        if (!std::isnan(v.total->values[i])) v.known.push_back(i);
    if (v.known.empty()) return false;
    v.jumps = v.known.size() > 1 && v.total->values[v.known.front()] != v.total->values[v.known.back()];
    v.at = std::clamp(f.state.params.number("nu"), 0.0, 1.0);
    v.rows = betweenKnown(v);
    v.nearest = v.known[v.rows.fraction < 0.5 ? v.rows.below : v.rows.above];
    return true;
}

Color inputColor(const PictureFrame& f, const View& v, Size input) {
    return v.few() ? f.theme.series[input % f.theme.series.size()] : capacityBlue(f);
}

Color capacityBlue(const PictureFrame& f) { return sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark); }

std::string inputName(const View& v) { return v.ring ? "position, from the top unit" : v.tree ? "lag *τ*" : "input *i*"; }

std::vector<std::string> headlines(const View& v) {
    const double nu = v.nu()[v.nearest];
    const std::string head = "*ν* = " + numberText(nu, 3);
    if (v.atOne()) return {head + ": " + linearWords(v), head + (v.jumps ? ": the total falls" : ": linear"), head};
    std::string middle, end;
    if (v.ring) middle = ": variance " + numberText(v.variance->values[v.nearest]);
    if (nu == 0)
        end = v.tree            ? ": paths that part anywhere are independent"
              : v.ring          ? ", pure diffusion"
              : v.equation25Gap ? ": Eq 25 needs independent inputs, here it is off by up to " + numberText(v.equation25Gap->value, 2)
                                : ": every path stands alone, capacity diffuses";
    else if (v.share)
        end = (v.ring ? ", " : ": ") + percent(v.share->values[v.nearest]) + " of the way from " +
              (v.tree ? "decoupled to linear" : "diffusion to interference");
    std::string half;
    if (v.crossover && nu != 0) half = "; half-way at *ν* = " + numberText(v.crossover->value, 2);
    const std::string brief = v.share && nu != 0 ? ": " + percent(v.share->values[v.nearest]) + " of the way" : "";
    return {head + middle + end + half, head + middle + end, head + (v.ring ? middle : brief), head};
}

}  // namespace kappaflow::continuum
