// Paths through residual and plain layers as strands (P1 4.2): the heaviest weight and the entropy of all of them against depth.
#include <algorithm>
#include <cmath>
#include <optional>

#include "scenes/picture.h"

namespace kappaflow {
namespace {

struct View {
    const Array *position, *weight, *capacity, *heaviest, *heaviestPredicted, *entropy, *entropyPredicted;
    std::vector<std::string> kinds;
    std::size_t layers = 0;
    double at = 0;
};

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    view.position = r.array("strandPosition");
    view.weight = r.array("strandWeight");
    view.capacity = r.array("capacity");
    view.heaviest = r.array("log10MaxPathWeight");
    view.heaviestPredicted = r.array("log10MaxPathWeightPredicted");
    view.entropy = r.array("pathEntropy");
    view.entropyPredicted = r.array("pathEntropyPredicted");
    for (const Array* array :
         {view.position, view.weight, view.capacity, view.heaviest, view.heaviestPredicted, view.entropy, view.entropyPredicted})
        if (!array) return false;
    view.kinds = view.capacity->axes[0].keys;
    view.layers = view.capacity->axes[1].size() - 1;
    view.at = std::clamp(f.state.params.number("at"), 0.0, static_cast<double>(view.layers));
    return !view.kinds.empty();
}

Color colorOf(const PictureFrame& f, const std::string& kind) { return kind == "residual" ? f.theme.series[0] : f.theme.series[2]; }
std::string nameOf(const std::string& kind) { return kind == "residual" ? "residual" : "plain"; }

/// Points of all strands in one frame, and layers of one: more than the screen has rows for. What is thinned out is told.
constexpr std::size_t kMostPoints = 100000, kMostRows = 400;

// Every how many layers a strand has a corner, and how many strands of a kind are drawn: the heaviest and the first ones met at random.
struct Thinning {
    std::size_t every, strands;
    bool some;
};
Thinning thinningOf(const View& view) {
    const std::size_t all = view.position->axes[1].size(), every = 1 + view.layers / (kMostRows + 1);
    // Pale and followed, of each kind.
    const std::size_t most = kMostPoints / (2 * view.kinds.size() * (view.layers / every + 2));
    return {every, std::min(all, most), most < all};
}

// A strand from the output on top down to a layer, in between two layers as well.
struct Strand {
    std::vector<double> x, y;
};
Strand strandDownTo(const View& view, std::size_t base, double at, std::size_t every) {
    const auto first = static_cast<std::size_t>(std::ceil(at));
    Strand strand;
    for (std::size_t l = view.layers + 1; l-- > first;) {
        if ((view.layers - l) % every != 0 && l != first) continue;
        strand.x.push_back(view.position->values[base + l]);
        strand.y.push_back(static_cast<double>(l));
    }
    if (first > 0 && at < static_cast<double>(first)) {
        const double here = view.position->values[base + first], below = view.position->values[base + first - 1];
        strand.x.push_back(here + (below - here) * (static_cast<double>(first) - at));
        strand.y.push_back(at);
    }
    return strand;
}

// A strand's ink is its weight at the layer shown, logarithmic over six decades: in a plain network all strands fade together, in a
// residual one the straight strand keeps its ink.
constexpr double kDecades = 6;

void drawStrand(Plot& plot, const View& view, std::size_t base, std::size_t every, const std::string& id, Color color, bool heaviest) {
    const auto first = static_cast<std::size_t>(std::ceil(view.at));
    const double ink = std::clamp(1 + std::log10(std::max(view.weight->values[base + first], 1e-300)) / kDecades, 0.0, 1.0);
    const Strand strand = strandDownTo(view, base, view.at, every);
    const double alpha = heaviest ? 0.25 + 0.75 * ink : 0.14 + 0.5 * ink * ink;
    plot.line(id + "/path", strand.x, strand.y,
              {color.withAlpha(static_cast<float>(alpha)), Dash::Solid, heaviest ? 1.5 + 4.5 * ink : 1.1, ""});
}

// One kind's strands. Where they will go is there in pale from the start.
void drawStrands(PictureFrame& f, const View& view, std::size_t kind, Rect rect, double reach) {
    const double last = static_cast<double>(view.layers);
    const std::string id = "strands/" + view.kinds[kind];
    Plot plot(f.painter, f.theme, id, rect, {.label = "position, from the output unit", .lo = -reach, .hi = reach, .whole = true},
              {.label = "layer *l*", .lo = 0, .hi = std::max(last, 1.0), .whole = true});
    const std::size_t strands = view.position->axes[1].size(), rows = view.layers + 1;
    const Thinning thinning = thinningOf(view);
    for (std::size_t s = 0; s < thinning.strands && view.at > 0; ++s) {
        const Strand whole = strandDownTo(view, (kind * strands + s) * rows, 0, thinning.every);
        plot.line(id + "/waiting", whole.x, whole.y, {f.theme.muted.withAlpha(0.10f), Dash::Solid, 1, ""});
    }
    // The heaviest path comes first in the report and is drawn last, on top.
    for (std::size_t s = thinning.strands; s-- > 0;)
        drawStrand(plot, view, (kind * strands + s) * rows, thinning.every, id, colorOf(f, view.kinds[kind]), s == 0);
    plot.horizontal(id + "/front", view.at, {f.theme.accent.withAlpha(0.5f), Dash::Solid, 1, ""});
    const double log10 = view.heaviest->values[kind * rows + static_cast<std::size_t>(std::ceil(view.at))];
    finishPlot(f, plot, id, nameOf(view.kinds[kind]) + ", heaviest " + powerInWords(log10));
}

struct Curves {
    const Array *measured, *predicted;
    std::string id, label, title;
};

void drawAgainstDepth(PictureFrame& f, const View& view, Rect rect, const Curves& curves, bool decades) {
    const std::size_t rows = view.layers + 1;
    std::vector<double> depth(rows);
    for (std::size_t i = 0; i < rows; ++i) depth[i] = static_cast<double>(i);
    // Weights come as decimal logarithms, which do not underflow; a line ends where its power no longer fits a double.
    const auto read = [&](const Array& array, std::size_t kind) {
        std::vector<double> values(rows);
        for (std::size_t i = 0; i < rows; ++i) {
            const double value = array.values[kind * rows + view.layers - i];
            values[i] = !decades ? value : value > -300 ? std::pow(10, value) : std::nan("");
        }
        return values;
    };
    double lo = decades ? 1 : 0, hi = 1;
    for (std::size_t k = 0; k < view.kinds.size(); ++k)
        for (double value : read(*curves.measured, k))
            if (!std::isnan(value)) lo = std::min(lo, value), hi = std::max(hi, value);
    Plot plot(
        f.painter, f.theme, curves.id, rect,
        {.label = "layers crossed, *L* − *l*", .lo = 0, .hi = static_cast<double>(std::max<std::size_t>(view.layers, 1)), .whole = true},
        {.label = curves.label, .lo = decades ? lo / 2 : 0, .hi = decades ? 2.0 : hi * 1.1, .scale = decades ? Scale::Log : Scale::Linear},
        zoomOf(f, curves.id));
    plot.vertical(curves.id + "/now", static_cast<double>(view.layers) - view.at, {f.theme.accent.withAlpha(0.5f), Dash::Solid, 1, ""});
    for (std::size_t k = 0; k < view.kinds.size(); ++k) {
        const Color color = colorOf(f, view.kinds[k]);
        const bool residual = view.kinds[k] == "residual";
        plot.line(curves.id + "/" + view.kinds[k], depth, read(*curves.measured, k),
                  {color, Dash::Solid, 2.4, residual ? "residual" : "plain"});
        plot.line(curves.id + "/theory/" + view.kinds[k], depth, read(*curves.predicted, k),
                  {f.theme.theory, Dash::Dashed, 1.6, decades ? (residual ? "e^{∫Δ}" : "*r*^{−(*L*−*l*)}") : ""});
    }
    finishPlot(f, plot, curves.id, curves.title);
}

void drawProfiles(PictureFrame& f, const View& view, Rect rect) {
    const std::size_t rows = view.layers + 1, n = view.capacity->axes[2].size();
    const Between b = between(view.at, view.layers);
    std::vector<std::vector<double>> profiles;
    double top = 1e-12;
    for (std::size_t k = 0; k < view.kinds.size(); ++k) {
        std::vector<double> row(n);
        const double *low = view.capacity->values.data() + (k * rows + b.below) * n,
                     *high = view.capacity->values.data() + (k * rows + b.above) * n;
        for (std::size_t i = 0; i < n; ++i) row[i] = low[i] + (high[i] - low[i]) * b.fraction;
        top = largest(row, top);
        profiles.push_back(std::move(row));
    }
    const auto& x = view.capacity->axes[2].values;
    Plot plot(f.painter, f.theme, "profile", rect,
              {.label = "position, from the output unit", .lo = x.front(), .hi = x.back(), .whole = true},
              {.label = "capacity *κ*^{*l*}", .lo = 0, .hi = top * 1.12}, zoomOf(f, "profile"));
    for (std::size_t k = 0; k < view.kinds.size(); ++k) {
        const Color color = colorOf(f, view.kinds[k]);
        plot.area("profile/" + view.kinds[k], x, profiles[k], color.withAlpha(0.16f));
        plot.line("profile/" + view.kinds[k], x, profiles[k], {color, Dash::Solid, 2, view.kinds[k] == "residual" ? "residual" : "plain"});
    }
    finishPlot(f, plot, "profile", "capacity at layer " + inWords(std::round(view.at), 4));
}

class ShatteringPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The paths are being followed.");
        f.compact = f.compact && f.area.width() < 600;
        const Rect a = f.area;
        const double right = f.compact ? 0 : std::clamp(a.width() * 0.38, 230.0, 420.0);
        const double below = f.compact ? a.height() * 0.42 : std::clamp(a.height() * 0.3, 110.0, 230.0);
        const Thinning thinning = thinningOf(view);
        const Rect strands{a.lo, {a.hi.x - right, a.hi.y - below - (thinning.some ? kNote : 0)}};
        if (thinning.some)
            f.painter.text("strands/thinned", {strands.lo.x + 4, strands.hi.y + kNote / 2},
                           inWords(static_cast<double>(thinning.strands), 9) + " of the " +
                               inWords(static_cast<double>(view.position->axes[1].size()), 9) + " paths are drawn.",
                           {.color = f.theme.muted, .size = f.theme.tinySize, .v = AlignV::Middle});
        const double width = strands.width() / static_cast<double>(view.kinds.size());
        if (reachVersion_ != f.reportVersion) reach_ = reachOf(view), reachVersion_ = f.reportVersion;
        for (std::size_t k = 0; k < view.kinds.size(); ++k) {
            const double left = strands.lo.x + width * static_cast<double>(k);
            drawStrands(f, view, k, {{left, strands.lo.y + 4}, {left + width - 10, strands.hi.y - 4}}, reach_);
        }
        const Curves weight{view.heaviest, view.heaviestPredicted, "weight", "largest path weight", "weight of the heaviest path"};
        if (f.compact) return drawAgainstDepth(f, view, {{a.lo.x, a.hi.y - below}, {a.hi.x, a.hi.y}}, weight, true);
        drawProfiles(f, view, {{a.lo.x, a.hi.y - below}, {strands.hi.x - 10, a.hi.y}});
        const double middle = a.lo.y + a.height() / 2;
        drawAgainstDepth(f, view, {{strands.hi.x + 8, a.lo.y + 4}, {a.hi.x, middle - 6}}, weight, true);
        drawAgainstDepth(f, view, {{strands.hi.x + 8, middle + 2}, {a.hi.x, a.hi.y}},
                         {view.entropy, view.entropyPredicted, "entropy", "path entropy *H* (nats)", "e^{*H*} paths share the capacity"},
                         false);
    }

private:
    static constexpr double kNote = 16;

    static double reachOf(const View& view) {
        double farthest = 0;
        for (const double p : view.position->values) farthest = std::max(farthest, std::abs(p));
        return std::max(3.0, farthest * 1.05);
    }

    double reach_ = 0;  ///< of all paths of report `reachVersion_`
    std::optional<std::uint64_t> reachVersion_;
};

}  // namespace

PictureEntry shattering_picture() {
    return {"shattering", [] { return std::unique_ptr<Picture>(std::make_unique<ShatteringPicture>()); }};
}

}  // namespace kappaflow
