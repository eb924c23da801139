#include "scenes/linear_models/picture_view.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"

namespace kappaflow::linear {
namespace {

/// Texts from the left, until the next would not fit.
void drawRow(PictureFrame& f, Rect rect, const std::vector<std::pair<std::string, Color>>& texts) {
    double x = rect.lo.x;
    for (const auto& [text, color] : texts) {
        const TextStyle style{.color = color, .size = f.theme.smallSize, .v = AlignV::Middle};
        const double width = f.painter.measure(text, style).x;
        if (x + width > rect.hi.x) return;
        f.painter.text("facts", {x, rect.centre().y}, text, style);
        x += width + 18;
    }
}

}  // namespace

std::string View::placeName(std::size_t frame) const {
    const std::string number = inWords(places[frame], 6);
    if (steps) return "step " + number;
    return number + (places[frame] == 1 ? " channel" : " channels");
}

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {
        {&view.capacity, "capacityAlong"},         {&view.inBasis, "capacityInBasisAlong"},
        {&view.coefficients, "coefficientsAlong"}, {&view.generated, "modelAutocovarianceAlong"},
        {&view.total, "totalCapacityAlong"},       {&view.rank, "numericalRankAlong"},
        {&view.parameters, "parametersAlong"},     {&view.loss, "lossAlong"},
        {&view.optimality, "optimalityAlong"},     {&view.target, "target"},
        {&view.autocovariance, "autocovariance"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    view.eigenvalues = r.array("eigenvaluesAlong");
    view.raw = r.array("eigenvaluesRaw");
    view.other = r.array("capacityOther");
    view.places = view.capacity->axes[0].values;
    view.steps = view.capacity->axes[0].name == "step";
    view.index = indexAlong(view.places, f.state.params.number(view.steps ? "step" : "at"));
    view.lags = view.capacity->axes[1].size();
    return !view.places.empty() && view.lags > 0;
}

AxisSpec decades(std::string label, const std::vector<double>& values, double floor) {
    double lo = 1e300, hi = 0;
    for (const double value : values)
        if (value > floor) lo = std::min(lo, value), hi = std::max(hi, value);
    if (!(hi > 0)) lo = floor, hi = 100 * floor;
    return {.label = std::move(label), .lo = lo / 2.5, .hi = hi * 3, .scale = Scale::Log};
}

Color frameColor(const Theme& theme, const View& view, std::size_t frame) {
    const double share = view.places.size() < 2 ? 1 : static_cast<double>(frame) / static_cast<double>(view.places.size() - 1);
    return sample(ColorMap::Capacity, 0.45 + 0.45 * share, theme.dark);
}

void pull(PictureFrame& f, std::vector<double> factors, std::size_t place, double factor) {
    if (factors.size() <= place) factors.resize(place + 1, 1.0);
    factors[place] = factor;
    while (!factors.empty() && factors.back() == 1) factors.pop_back();
    f.changes.push_back(Change::param("pull", std::move(factors)));
}

void drawFacts(PictureFrame& f, const View& view, Rect rect) {
    const double total = view.of(view.total), rank = view.of(view.rank);
    std::string capacity = "*κ* = " + numberText(total, 6) + " of " + std::to_string(view.lags);
    if (rank != total) capacity += " (" + numberText(rank, 6) + " found)";
    const bool optimal = view.optimal();
    const std::string check = "‖*K*^{T}*X*‖/‖*X*‖ = " + numberText(view.of(view.optimality), 2);
    drawRow(f, rect,
            {{view.placeName(), f.theme.text},
             {capacity, capacityColor(f.theme)},
             {optimal ? "optimal" : "not optimal", optimal ? f.theme.text : f.theme.warning},
             {"loss " + numberText(view.of(view.loss), 3), f.theme.text},
             {numberText(view.of(view.parameters), 6) + " weights", f.theme.muted},
             {check, f.theme.muted}});
}

namespace {

void drawCompact(PictureFrame& f, const View& view, DrawModel drawModel, const std::string& otherName) {
    const Rect a = f.area;
    const bool basis = a.height() >= 400;
    const double bottom = basis ? a.lo.y + 0.7 * a.height() : a.hi.y, top = a.lo.y + 20 + 0.4 * (bottom - a.lo.y - 20);
    drawFacts(f, view, {a.lo + Vec2{6, 0}, {a.hi.x, a.lo.y + 20}});
    const LagScale scale = drawCapacity(f, view, {{a.lo.x, top}, {a.hi.x, bottom}}, otherName);
    drawModel(f, view, scale, {{a.lo.x, a.lo.y + 22}, {a.hi.x, top + 2}});
    if (basis) drawBasis(f, view, {{a.lo.x, bottom + 6}, a.hi});
}

void drawWide(PictureFrame& f, const View& view, DrawModel drawModel, const std::string& otherName) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.36, 220.0, 430.0);
    const double split = a.lo.y + 26 + 0.5 * (a.height() - 26);
    drawFacts(f, view, {a.lo + Vec2{10, 2}, {right - 12, a.lo.y + 26}});
    const LagScale scale = drawCapacity(f, view, {{a.lo.x, split}, {right - 12, a.hi.y}}, otherName);
    drawModel(f, view, scale, {{a.lo.x, a.lo.y + 30}, {right - 12, split}});
    const int plots = a.height() < 330 ? 1 : a.height() < 470 || !view.eigenvalues ? 2 : 3;
    const double height = (a.height() - 4) / plots;
    Rect place{{right, a.lo.y + 4}, {a.hi.x, a.lo.y + 4 + height - 6}};
    const auto next = [&] {
        const Rect now = place;
        place.lo.y += height, place.hi.y += height;
        return now;
    };
    drawBasis(f, view, next());
    if (plots == 3) drawEigenvalues(f, view, next());
    if (plots > 1) drawLoss(f, view, next());
}

}  // namespace

void FollowChannels::draw(PictureFrame& f) {
    const double channels = f.state.params.number("channels");
    if (channels_ > 0 && channels_ != channels) f.changes.push_back(Change::param("at", channels));
    channels_ = channels;
}

void drawScene(PictureFrame& f, const View& view, DrawModel drawModel, const std::string& otherName) {
    if (f.state.params.is("panels", "fit"))
        drawFit(f, view, f.area);
    else
        f.area.width() < 600 ? drawCompact(f, view, drawModel, otherName) : drawWide(f, view, drawModel, otherName);
}

}  // namespace kappaflow::linear
