#include "scenes/capacity_flow/decoupling/picture_scale.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/capacity_flow/declaration_activations.h"

namespace kappaflow::decoupling {
namespace {

constexpr double kNameRow = 17, kRail = 25;

struct Name {
    std::string key, text;
    double x, width, left = 0;
    int row = -1;
    bool chosen;
};

// The chosen name first, then the others from the left, each in the lowest row that has room; where none has, a name is left out.
void placeNames(std::vector<Name>& names, Rect rails, int rows) {
    std::stable_partition(names.begin(), names.end(), [](const Name& name) { return name.chosen; });
    for (std::size_t i = 0; i < names.size(); ++i) {
        Name& name = names[i];
        name.left = std::clamp(name.x - name.width / 2, rails.lo.x - 20, rails.hi.x + 16 - name.width);
        const auto freeIn = [&](int row) {
            return std::none_of(names.begin(), names.begin() + static_cast<long>(i), [&](const Name& other) {
                const bool apart = other.left + other.width + 8 < name.left || name.left + name.width + 8 < other.left;
                return other.row == row && !apart;
            });
        };
        for (int row = 0; row < rows && name.row < 0; ++row)
            if (freeIn(row)) name.row = row;
    }
}

struct Rail {
    const char *longName, *shortName;
    const Array* places;
    double chosen;
    bool diverges;
};

class ScaleDrawing {
public:
    ScaleDrawing(PictureFrame& f, const Placement& scale, Rect rect) : f_(f), rect_(rect) {
        rails_ = {{"energy  E[*zf*]²/E[*z*²]E[*f*²]", "*ν*", scale.energy, scale.chosen[0], false},
                  {"independent  E[*η*]²/E[*η*²]", "indep.", scale.independent, scale.chosen[1], scale.diverges},
                  {"correlation  corr(*f*, *z*)²", "corr.", scale.correlation, scale.chosen[2], false}};
        wide_ = rect.width() >= 560;
        const double railsRoom = rect.height() - kNameRow - 10;
        shown_ = railsRoom >= 3 * kRail ? 3 : 1;
        nameRows_ = std::clamp(static_cast<int>((rect.height() - 18 - kRail * static_cast<double>(shown_)) / kNameRow), 1, 3);
        const double left = wide_ ? 190 : shown_ > 1 ? 52 : 26, right = wide_ ? 92 : 66;
        track_ = {{rect.lo.x + left, rect.lo.y + 4 + kNameRow * nameRows_ + 14}, {rect.hi.x - right, rect.hi.y - 8}};
    }
    void draw() {
        const auto& state = f_.state.params;
        chosenKey_ = state.text("activation");
        drawNames();
        for (std::size_t k = 0; k < shown_; ++k) drawRail(k);
        joinChosen();
        drag();
    }

private:
    double x(double nu) const { return track_.hi.x - (track_.hi.x - track_.lo.x) * std::clamp(nu, 0.0, 1.0); }
    double y(std::size_t rail) const { return track_.lo.y + kRail * static_cast<double>(rail); }
    TextStyle style(Color color, AlignH h) const {
        return {.color = color, .size = f_.theme.tinySize, .h = h, .v = AlignV::Middle, .halo = f_.theme.ground};
    }

    void drawNames() {
        std::vector<Name> names;
        const auto& places = *rails_[0].places;
        for (const Option& option : decouplingActivations()) {
            const auto& keys = places.axes[0].keys;
            const auto i = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), option.key) - keys.begin());
            if (i == keys.size()) continue;
            const bool chosen = option.key == chosenKey_;
            Name name{option.key, option.label, x(chosen ? rails_[0].chosen : places.values[i]), 0, 0, -1, chosen};
            name.width = f_.painter.measure(name.text, style(f_.theme.text, AlignH::Left)).x;
            names.push_back(std::move(name));
        }
        placeNames(names, track_, nameRows_);
        for (const Name& name : names)
            if (name.row >= 0) drawName(name);
    }
    void drawName(const Name& name) {
        const double middle = y(0) - 18 - kNameRow * name.row;
        const Pointer p = f_.handles.freePointer();
        const Rect box{{name.left - 3, middle - kNameRow / 2}, {name.left + name.width + 3, middle + kNameRow / 2}};
        const bool hovered = p.inside && box.contains(p.at) && !f_.kept;
        if (hovered && p.pressed && !name.chosen) f_.changes.push_back(Change::param("activation", name.key));
        const Color color = name.chosen || hovered ? f_.theme.accent : f_.theme.text;
        f_.painter.line("scale/leader", {name.x, y(0) - 5}, {std::clamp(name.x, box.lo.x + 3, box.hi.x - 3), middle + 7},
                        {(name.chosen ? f_.theme.accent : f_.theme.muted).withAlpha(0.5f), 1});
        auto text = style(color, AlignH::Left);
        text.bold = name.chosen;
        f_.painter.text("scale/name", {name.left, middle}, name.text, text);
    }
    void drawRail(std::size_t k) {
        const Rail& rail = rails_[k];
        const double level = f_.painter.crisp(y(k));
        f_.painter.line("scale/rail", {track_.lo.x, level}, {track_.hi.x, level}, {f_.theme.line, 1});
        for (int tick = 0; tick <= 4; ++tick) {
            const double at = f_.painter.crisp(x(tick / 4.0));
            f_.painter.line("scale/tick", {at, level - 3}, {at, level + 3}, {f_.theme.line, 1});
        }
        f_.painter.text("scale/definition", {rect_.lo.x + 2, level}, wide_ ? rail.longName : rail.shortName,
                        style(k == 0 ? f_.theme.text : f_.theme.muted, AlignH::Left));
        for (const double nu : rail.places->values)
            f_.painter.marker("scale/activation", {x(nu), level}, 3.5, MarkerShape::Circle, f_.theme.muted);
        const std::string value = rail.diverges ? "E *η*² = ∞" : (k == 2 ? "*ν*_{c} = " : "*ν* = ") + numberText(rail.chosen, 3);
        f_.painter.text("scale/value", {rect_.hi.x - 2, level}, value,
                        style(rail.diverges ? f_.theme.warning : f_.theme.accent, AlignH::Right));
    }
    void joinChosen() {
        std::vector<Vec2> line;
        for (std::size_t k = 0; k < shown_; ++k)
            if (!rails_[k].diverges) line.push_back({x(rails_[k].chosen), y(k)});
        if (line.size() > 1) f_.painter.line("scale/chosen", line, {f_.theme.accent.withAlpha(0.6f), 1.5});
        for (const Vec2& at : line)
            f_.painter.marker("scale/chosen", at, 5.5, MarkerShape::Circle, f_.theme.accent, Stroke{f_.theme.ground, 1.5});
    }
    void drag() {
        const double nu = std::clamp(rails_[0].chosen, 0.0, 1.0);
        const Vec2 at{x(nu), y(0)};
        const Handle handle{"scale", "place on the decoupling scale",         "ν = " + inWords(nu), nu, 0, 1,
                            0.02,    {at + Vec2{-12, -11}, at + Vec2{12, 11}}};
        const auto grip = f_.handles.offer(handle, [&](Vec2 p) { return (track_.hi.x - p.x) / (track_.hi.x - track_.lo.x); });
        if (grip.moved) askForSlope(f_, slopeOf(grip.value));
        if (grip.hovered || grip.held || grip.focused)
            f_.painter.marker("scale/grip", at, 8, MarkerShape::Circle, f_.theme.accent, Stroke{f_.theme.ground, 2});
    }

    PictureFrame& f_;
    Rect rect_, track_;
    std::vector<Rail> rails_;
    std::string chosenKey_;
    std::size_t shown_ = 3;
    int nameRows_ = 3;
    bool wide_ = true;
};

}  // namespace

double slopeOf(double nu) {
    const double a = 1 - 2 * std::clamp(nu, 0.0, 1.0);
    return -a / (1 + std::sqrt(1 - a * a));
}

void askForSlope(PictureFrame& f, double slope) {
    const double rounded = std::round(std::clamp(slope, -1.0, 1.0) * 1000) / 1000 + 0.0;
    if (!f.state.params.is("activation", "leaky-relu")) f.changes.push_back(Change::param("activation", std::string("leaky-relu")));
    if (f.state.params.number("slope") != rounded) f.changes.push_back(Change::param("slope", rounded));
}

double scaleHeight(const PictureFrame& f, double width, double room) {
    const double full = 22 + 3 * kNameRow + 3 * kRail;
    if (!f.compact || width >= 560) return std::min(full, std::max(room * 0.34, 60.0));
    return std::clamp(room * 0.3, 22 + kRail + kNameRow * 1.0, full);
}

void drawScale(PictureFrame& f, const Placement& scale, Rect rect) { ScaleDrawing(f, scale, rect).draw(); }

}  // namespace kappaflow::decoupling
