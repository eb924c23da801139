// What stands around the lenses: headings, reasons and remarks.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "scenes/one_network/network_lens/picture_view.h"

namespace kappaflow::lens {
namespace {

constexpr double kHeading = 22;

/// "step 300", or nothing where nothing is trained or computed.
std::string stepText(const View& view, Lens lens) {
    constexpr const char* kSteps[] = {"capacityStep", "regionsStep", "lengthStep", "sensitivityStep"};
    const double step = view.scalar(kSteps[static_cast<std::size_t>(lens)]);
    return view.training && std::isfinite(step) ? "step " + inWords(step, 6) : "";
}

bool isLarge(const PictureFrame& f, Lens lens) { return f.state.params.is("lens", keyOf(lens)); }

/// A square with an arrow out of it (into it, when the panel is the large one): a tap makes the panel large, or small again.
void offerEnlarge(Scene& s, Lens lens, Vec2 at) {
    PictureFrame& f = s.f;
    const bool large = isLarge(f, lens);
    const double value = large;
    const auto grip = f.handles.offer({std::string("enlarge ") + keyOf(lens),
                                       std::string(nameOf(lens)) + " alone",
                                       large ? "alone" : "beside the others",
                                       value,
                                       0,
                                       1,
                                       1,
                                       {at - Vec2{12, 12}, at + Vec2{12, 12}}},
                                      [&](Vec2) { return value; });
    const bool tapped = grip.held && f.handles.pointer().pressed;
    if (tapped || (grip.moved && !grip.held))
        f.changes.push_back(Change::param("lens", std::string(tapped             ? (large ? "all" : keyOf(lens))
                                                              : grip.value > 0.5 ? keyOf(lens)
                                                                                 : "all")));
    if (f.kept) return;
    const Stroke stroke{grip.hovered || grip.focused ? f.theme.accent : f.theme.muted, 1.5};
    for (const double side : {-1.0, 1.0}) {
        const Vec2 out = at + Vec2{4.5, -4.5} * side, corner = large ? at + Vec2{1, -1} * side : out;
        f.painter.line("panel/enlarge", at + Vec2{0.8, -0.8} * side, out, stroke);
        const double back = large ? 3.5 * side : -3.5 * side;
        const Vec2 head[] = {corner + Vec2{back, 0}, corner, corner + Vec2{0, -back}};
        f.painter.line("panel/enlarge", head, stroke, false);
    }
}

}  // namespace

Rect drawHeading(Scene& s, Lens lens, Rect rect, std::initializer_list<std::string> titles) {
    const bool grid = !s.f.compact && s.f.area.width() >= 600 && s.f.area.height() >= 420;
    double right = rect.hi.x - 2;
    if (grid) {
        offerEnlarge(s, lens, {right - 8, rect.lo.y + 9});
        right -= 22;
    }
    const TextStyle small{.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Right, .v = AlignV::Middle};
    const TextStyle style{.color = s.theme().text, .size = s.theme().smallSize, .v = AlignV::Middle, .bold = true};
    const std::string step = stepText(s.view, lens);
    if (!step.empty()) {
        s.painter().text(std::string("step/") + keyOf(lens), {right, rect.lo.y + 9}, step, small);
        right -= s.painter().measure(step, small).x + 10;
    }
    for (const std::string& title : titles) {
        if (s.painter().measure(title, style).x > right - rect.lo.x - 4) continue;
        s.painter().text("heading", {rect.lo.x + 4, rect.lo.y + 9}, title, style);
        break;
    }
    return {{rect.lo.x, rect.lo.y + kHeading}, rect.hi};
}

void drawReason(Scene& s, Lens lens, Rect rect, const std::string& otherwise) {
    const std::string* note = s.report().note(keyOf(lens));
    const bool waiting = !note && s.report().status == Status::Partial;
    const std::string text = note ? *note : waiting ? "is being computed …" : otherwise;
    const TextStyle style{.color = s.theme().muted, .size = s.theme().smallSize, .h = AlignH::Centre, .v = AlignV::Middle};
    const double line = style.size * 1.45, width = std::min(rect.width() - 24, 380.0);
    const auto lines = wrapText(s.painter(), text, style, width, static_cast<std::size_t>(std::max(1.0, rect.height() / line)));
    double y = rect.centre().y - line * (static_cast<double>(lines.size()) - 1) / 2;
    for (const auto& words : lines) {
        s.painter().text(std::string("reason/") + keyOf(lens), {rect.centre().x, y}, words, style);
        y += line;
    }
}

double drawRemark(Scene& s, Lens lens, Rect rect) {
    const std::string* note = s.report().note(keyOf(lens));
    if (!note || rect.height() < 120) return 0;
    const TextStyle style{.color = s.theme().warning, .size = s.theme().tinySize, .v = AlignV::Bottom};
    const double line = style.size * 1.35;
    const auto lines = wrapText(s.painter(), *note, style, rect.width() - 8, rect.height() > 260 ? 3 : 2);
    const double height = line * static_cast<double>(lines.size());
    double y = rect.hi.y - height + line;
    for (const auto& words : lines) {
        s.painter().text(std::string("remark/") + keyOf(lens), {rect.lo.x + 4, y}, words, style);
        y += line;
    }
    return height + 4;
}

}  // namespace kappaflow::lens
