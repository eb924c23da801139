#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "app/panels.h"
#include "draw/imgui_painter.h"
#include "draw/imgui_support.h"
#include "draw/markup.h"

namespace kappaflow {
namespace {

constexpr float kPi = 3.14159265f;

// Strokes and fills in a square from −1 to 1.
struct Pen {
    ImDrawList& list;
    Vec2 centre;
    double half;
    ImU32 color;
    float width;

    ImVec2 at(Vec2 p) const { return toIm(centre + p * half); }
    void stroke(std::initializer_list<Vec2> points, bool closed = false) const {
        for (const Vec2 p : points) list.PathLineTo(at(p));
        list.PathStroke(color, closed ? ImDrawFlags_Closed : 0, width);
    }
    void fill(std::initializer_list<Vec2> points) const {
        for (const Vec2 p : points) list.PathLineTo(at(p));
        list.PathFillConvex(color);
    }
    void arc(Vec2 middle, double radius, float from, float to) const {
        list.PathArcTo(at(middle), static_cast<float>(radius * half), from, to, 24);
        list.PathStroke(color, 0, width);
    }
    void dot(Vec2 middle, double radius) const { list.AddCircleFilled(at(middle), static_cast<float>(radius * half), color, 12); }
    void box(Vec2 lo, Vec2 hi, double rounding) const {
        list.AddRect(at(lo), at(hi), color, static_cast<float>(rounding * half), 0, width);
    }
};

void arrowBack(const Pen& pen, double mirror) {
    pen.stroke({{-0.25 * mirror, -0.85}, {-0.75 * mirror, -0.35}, {-0.25 * mirror, 0.15}});
    pen.stroke({{-0.75 * mirror, -0.35}, {0.3 * mirror, -0.35}});
    const float from = mirror > 0 ? -kPi / 2 : kPi / 2;
    pen.arc({0.3 * mirror, 0.2}, 0.55, from, from + kPi);
    pen.stroke({{0.3 * mirror, 0.75}, {-0.3 * mirror, 0.75}});
}

void sun(const Pen& pen) {
    pen.arc({0, 0}, 0.4, 0, 2 * kPi);
    for (int i = 0; i < 8; ++i) {
        const double angle = i * kPi / 4;
        const Vec2 ray{std::cos(angle), std::sin(angle)};
        pen.stroke({ray * 0.68, ray * 0.95});
    }
}

// A disc of radius 0.85 less one of the same size moved up and to the right; the horns are where the circles meet.
void moon(const Pen& pen) {
    constexpr double kRadius = 0.85, kShift = 0.38;
    const double half = std::acos(std::hypot(kShift, kShift) / (2 * kRadius));
    const auto toward = static_cast<float>(-kPi / 4), open = static_cast<float>(half);
    pen.list.PathArcTo(pen.at({-0.05, 0.05}), static_cast<float>(kRadius * pen.half), toward + open, toward - open + 2 * kPi, 36);
    pen.list.PathArcTo(pen.at({kShift - 0.05, 0.05 - kShift}), static_cast<float>(kRadius * pen.half), toward + kPi + open,
                       toward + kPi - open, 24);
    pen.list.PathStroke(pen.color, ImDrawFlags_Closed, pen.width);
}

void link(const Pen& pen) {
    pen.arc({-0.42, 0}, 0.42, 0.5f * kPi, 1.5f * kPi);
    pen.arc({0.42, 0}, 0.42, -0.5f * kPi, 0.5f * kPi);
    pen.stroke({{-0.42, -0.42}, {-0.12, -0.42}});
    pen.stroke({{-0.42, 0.42}, {-0.12, 0.42}});
    pen.stroke({{0.42, -0.42}, {0.12, -0.42}});
    pen.stroke({{0.42, 0.42}, {0.12, 0.42}});
    pen.stroke({{-0.35, 0}, {0.35, 0}});
}

void tray(const Pen& pen, bool down) {
    const double tip = down ? 0.3 : -0.85, tail = down ? -0.85 : 0.3, side = down ? -0.08 : -0.47;
    pen.stroke({{0, tail}, {0, tip}});
    pen.stroke({{-0.38, side}, {0, tip}, {0.38, side}});
    pen.stroke({{-0.8, 0.45}, {-0.8, 0.8}, {0.8, 0.8}, {0.8, 0.45}});
}

void reset(const Pen& pen) {
    pen.arc({0, 0.05}, 0.72, -0.5f * kPi + 0.75f, 1.5f * kPi - 0.35f);
    pen.fill({{-0.12, -1.0}, {-0.12, -0.34}, {0.3, -0.67}});
}

}  // namespace

void drawIcon(ImDrawList& list, Icon icon, Vec2 centre, double size, Color color) {
    const Pen pen{list, centre, size / 2, toIm(color), 1.6f};
    switch (icon) {
        case Icon::Play:
            return pen.fill({{-0.55, -0.85}, {0.85, 0}, {-0.55, 0.85}});
        case Icon::Pause:
            pen.fill({{-0.65, -0.8}, {-0.2, -0.8}, {-0.2, 0.8}, {-0.65, 0.8}});
            return pen.fill({{0.2, -0.8}, {0.65, -0.8}, {0.65, 0.8}, {0.2, 0.8}});
        case Icon::StepBack:
            pen.fill({{0.6, -0.75}, {0.6, 0.75}, {-0.45, 0}});
            return pen.fill({{-0.75, -0.75}, {-0.5, -0.75}, {-0.5, 0.75}, {-0.75, 0.75}});
        case Icon::StepForward:
            pen.fill({{-0.6, -0.75}, {0.45, 0}, {-0.6, 0.75}});
            return pen.fill({{0.5, -0.75}, {0.75, -0.75}, {0.75, 0.75}, {0.5, 0.75}});
        case Icon::Undo:
            return arrowBack(pen, 1);
        case Icon::Redo:
            return arrowBack(pen, -1);
        case Icon::Reset:
            return reset(pen);
        case Icon::Link:
            return link(pen);
        case Icon::Download:
            return tray(pen, true);
        case Icon::Open:
            return tray(pen, false);
        case Icon::Sun:
            return sun(pen);
        case Icon::Moon:
            return moon(pen);
        case Icon::Dice:
            pen.box({-0.8, -0.8}, {0.8, 0.8}, 0.3);
            for (const Vec2 pip : {Vec2{-0.36, -0.36}, Vec2{0.36, 0.36}, Vec2{0, 0}, Vec2{0.36, -0.36}, Vec2{-0.36, 0.36}})
                pen.dot(pip, 0.14);
            return;
        case Icon::Menu:
            for (const double x : {-0.65, 0.0, 0.65}) pen.dot({x, 0}, 0.2);
            return;
        case Icon::ChevronDown:
            return pen.stroke({{-0.55, -0.25}, {0, 0.3}, {0.55, -0.25}});
        case Icon::ChevronLeft:
            return pen.stroke({{0.25, -0.6}, {-0.3, 0}, {0.25, 0.6}});
        case Icon::ChevronRight:
            return pen.stroke({{-0.25, -0.6}, {0.3, 0}, {-0.25, 0.6}});
        case Icon::Words:
            for (const double y : {-0.65, -0.05, 0.55}) pen.stroke({{-0.8, y}, {y > 0.5 ? 0.2 : 0.8, y}});
            return;
        case Icon::Close:
            pen.stroke({{-0.55, -0.55}, {0.55, 0.55}});
            return pen.stroke({{-0.55, 0.55}, {0.55, -0.55}});
        case Icon::Contrast:
            pen.arc({0, 0}, 0.8, 0, 2 * kPi);
            for (const double x : {0.1, 0.3, 0.5}) pen.stroke({{x, -std::sqrt(0.64 - x * x)}, {x, std::sqrt(0.64 - x * x)}});
            return;
    }
}

namespace {

constexpr double kLine = 1.35;  // line distance in ems

ImGuiPainter ink(Desk& desk) { return {*ImGui::GetWindowDrawList(), desk.screen.fonts(), desk.theme, desk.pixelRatio, nullptr}; }

void fillBox(Rect box, Color color, double rounding) {
    ImGui::GetWindowDrawList()->AddRectFilled(toIm(box.lo), toIm(box.hi), toIm(color), static_cast<float>(rounding));
}

// A finger moves a panel by its empty places; ImGui itself knows only the wheel.
void scrollByTouch(Desk& desk, Rect panel) {
    ImGuiIO& io = ImGui::GetIO();
    if (io.MouseSource != ImGuiMouseSource_TouchScreen || !io.MouseDown[0]) return;
    const Vec2 pressed = fromIm(io.MouseClickedPos[0]);
    if (panel.contains(pressed) && !desk.screen.wasInteractive(pressed)) ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseDelta.y);
}

Color hoverShade(const Desk& desk, Color base) {
    if (ImGui::IsItemActive()) return mix(base, desk.theme.text, 0.12);
    return ImGui::IsItemHovered() ? mix(base, desk.theme.text, 0.06) : base;
}

void useHand() {
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
}

}  // namespace

bool beginPanel(Desk& desk, const char* id, Rect rect, Color ground) {
    ImGui::SetNextWindowPos(toIm(rect.lo));
    ImGui::SetNextWindowSize(toIm(rect.hi - rect.lo));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, toIm4(ground));
    const bool open =
        ImGui::Begin(id, nullptr,
                     ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoMove |
                         ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBringToFrontOnFocus);
    ImGui::PopStyleColor();
    scrollByTouch(desk, rect);
    return open;
}

void endPanel(Desk& desk, Rect rect) {
    if (ImGui::GetScrollMaxY() > 0) desk.screen.scrollable(rect);
    ImGui::End();
}

void write(Desk& desk, Vec2 at, std::string_view markup, const TextStyle& style) { ink(desk).text("", at, markup, style); }

Vec2 measure(Desk& desk, std::string_view markup, const TextStyle& style) { return ink(desk).measure(markup, style); }

double writeWrapped(Desk& desk, Vec2 at, std::string_view markup, const TextStyle& style, double width, std::size_t maxLines) {
    ImGuiPainter painter(*ImGui::GetWindowDrawList(), desk.screen.fonts(), desk.theme, desk.pixelRatio, nullptr);
    const auto lines = wrapText(painter, markup, style, width, maxLines);
    for (std::size_t i = 0; i < lines.size(); ++i)
        painter.text("", at + Vec2{0, static_cast<double>(i) * kLine * style.size}, lines[i], style);
    return static_cast<double>(lines.size()) * kLine * style.size;
}

double wrappedHeight(Desk& desk, std::string_view markup, const TextStyle& style, double width) {
    ImGuiPainter painter(*ImGui::GetWindowDrawList(), desk.screen.fonts(), desk.theme, desk.pixelRatio, nullptr);
    return static_cast<double>(wrapText(painter, markup, style, width).size()) * kLine * style.size;
}

TextStyle bodyStyle(const Desk& desk, double size) { return {.color = desk.theme.text, .size = size > 0 ? size : desk.theme.textSize}; }
TextStyle mutedStyle(const Desk& desk, double size) { return {.color = desk.theme.muted, .size = size > 0 ? size : desk.theme.smallSize}; }

Rect takeRow(double height) {
    const Vec2 lo = fromIm(ImGui::GetCursorScreenPos());
    const double width = ImGui::GetContentRegionAvail().x;
    ImGui::Dummy({static_cast<float>(width), static_cast<float>(height)});
    return {lo, lo + Vec2{width, height}};
}

bool pressable(Desk& desk, const char* id, Rect rect) {
    const ImVec2 next = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos(toIm(rect.lo));
    const Vec2 size = rect.hi - rect.lo;
    const bool pressed = ImGui::InvisibleButton(id, {std::max(1.f, static_cast<float>(size.x)), std::max(1.f, static_cast<float>(size.y))});
    desk.screen.interactive(rect);
    ImGui::SetCursorScreenPos(next);
    return pressed;
}

bool iconButton(Desk& desk, const char* id, Rect rect, Icon icon, const std::string& tip, bool enabled, bool accent) {
    ImGui::BeginDisabled(!enabled);
    const bool pressed = pressable(desk, id, rect);
    ImGui::EndDisabled();
    const Color ground = accent ? desk.theme.accent : desk.theme.raised;
    if (accent || (enabled && ImGui::IsItemHovered())) fillBox(rect, hoverShade(desk, ground), std::min(rect.width(), rect.height()) / 2);
    const Color color = accent ? desk.theme.onAccent : enabled ? desk.theme.text : desk.theme.muted.withAlpha(0.45f);
    const double size = std::min(rect.width(), rect.height()) * (accent ? 0.4 : 0.44);
    drawIcon(*ImGui::GetWindowDrawList(), icon, rect.centre() + Vec2{accent && icon == Icon::Play ? 1.0 : 0.0, 0}, size, color);
    if (enabled) useHand();
    desk.screen.tooltip(tip);
    return pressed && enabled;
}

bool pill(Desk& desk, const char* id, Rect rect, std::string_view label, bool chosen) {
    const bool pressed = pressable(desk, id, rect);
    fillBox(rect, chosen ? desk.theme.accent : hoverShade(desk, desk.theme.raised), 7);
    TextStyle style = bodyStyle(desk, desk.theme.smallSize);
    style.color = chosen ? desk.theme.onAccent : desk.theme.text;
    style.h = AlignH::Centre;
    style.v = AlignV::Middle;
    write(desk, rect.centre(), escapeMarkup(label), style);
    useHand();
    return pressed;
}

namespace {

// As wide as its words, and an equal share of what is left.
std::vector<double> segmentWidths(Desk& desk, double width, const std::vector<std::string>& labels) {
    std::vector<double> widths;
    double used = 0;
    for (const auto& label : labels) {
        widths.push_back(measure(desk, escapeMarkup(label), bodyStyle(desk, desk.theme.smallSize)).x);
        used += widths.back();
    }
    for (double& each : widths) each += (width - used) / std::max<double>(1, static_cast<double>(labels.size()));
    return widths;
}

}  // namespace

bool segmentsFit(Desk& desk, double width, const std::vector<std::string>& labels) {
    constexpr double kLeastMargin = 13;
    const auto widths = segmentWidths(desk, width, labels);
    return !labels.empty() && widths[0] - measure(desk, escapeMarkup(labels[0]), bodyStyle(desk, desk.theme.smallSize)).x >= kLeastMargin;
}

int segments(Desk& desk, const char* id, Rect rect, const std::vector<std::string>& labels, int chosen) {
    fillBox(rect, desk.theme.raised, 8);
    const auto widths = segmentWidths(desk, rect.width(), labels);
    int pressed = -1;
    double x = rect.lo.x;
    ImGui::PushID(id);
    for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
        const auto index = static_cast<std::size_t>(i);
        const Rect cell{{x + 2, rect.lo.y + 2}, {x + widths[index] - 2, rect.hi.y - 2}};
        if (pill(desk, std::to_string(i).c_str(), cell, labels[index], i == chosen)) pressed = i;
        x += widths[index];
    }
    ImGui::PopID();
    return pressed == chosen ? -1 : pressed;
}

namespace {

constexpr double kMenuInset = 10, kMenuPadding = 6;
double widestLabel(Desk& desk, const std::vector<std::string>& labels) {
    double width = 0;
    for (const auto& label : labels) width = std::max(width, measure(desk, escapeMarkup(label), bodyStyle(desk)).x);
    return width;
}
double menuRowHeight(const Desk& desk) { return desk.touch() ? 40 : 32; }

}  // namespace

int menuRows(Desk& desk, const std::vector<std::string>& labels, int chosen, double leastWidth) {
    const double width = std::max(leastWidth, widestLabel(desk, labels) + 2 * kMenuInset);
    int pressed = -1;
    for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
        const Vec2 lo = fromIm(ImGui::GetCursorScreenPos());
        const Rect row{lo, lo + Vec2{width, menuRowHeight(desk)}};
        ImGui::Dummy(toIm(row.hi - row.lo));
        ImGui::PushID(i);
        if (pressable(desk, "row", row)) pressed = i;
        ImGui::PopID();
        if (i == chosen || ImGui::IsItemHovered()) fillBox(row, mix(desk.theme.panel, desk.theme.accent, i == chosen ? 0.16 : 0.08), 7);
        useHand();
        TextStyle style = bodyStyle(desk);
        style.v = AlignV::Middle;
        write(desk, {row.lo.x + kMenuInset, row.centre().y}, escapeMarkup(labels[static_cast<std::size_t>(i)]), style);
    }
    if (pressed >= 0 || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    return pressed;
}

int dropDown(Desk& desk, const char* id, Rect rect, const std::string& shown, const std::vector<std::string>& labels, int chosen) {
    constexpr double kHighest = 430;
    const bool pressedOpen = pressable(desk, id, rect);
    fillBox(rect, hoverShade(desk, desk.theme.raised), 7);
    useHand();
    const TextStyle style = bodyStyle(desk);
    writeWrapped(desk, {rect.lo.x + 10, rect.centre().y - 0.6 * style.size}, escapeMarkup(shown), style, rect.width() - 38, 1);
    drawIcon(*ImGui::GetWindowDrawList(), Icon::ChevronDown, {rect.hi.x - 16, rect.centre().y}, 10, desk.theme.muted);
    ImGui::PushID(id);
    if (pressedOpen) ImGui::OpenPopup("list");
    // Below its field, or above where there is no room; never beyond the frame.
    const Rect frame = desk.layout.frame;
    const double wide = std::max(rect.width(), widestLabel(desk, labels) + 2 * (kMenuInset + kMenuPadding));
    const double high = std::min(kHighest, static_cast<double>(labels.size()) * menuRowHeight(desk) + 2 * kMenuPadding + 2);
    const double roomBelow = frame.hi.y - rect.hi.y - 10, roomAbove = rect.lo.y - 10;
    const bool below = roomBelow >= high || roomBelow >= roomAbove;
    const double left = std::max(4.0, std::min(rect.lo.x, frame.hi.x - wide - 6));
    const float highest = static_cast<float>(std::max(60.0, std::min(high, below ? roomBelow : roomAbove)));
    ImGui::SetNextWindowPos(toIm(Vec2{left, below ? rect.hi.y + 4 : rect.lo.y - 4}), ImGuiCond_Always, {0, below ? 0.f : 1.f});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {static_cast<float>(frame.width() - 8), highest});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {kMenuPadding, kMenuPadding});
    int pressed = -1;
    if (ImGui::BeginPopup("list", ImGuiWindowFlags_NoMove)) {
        pressed = menuRows(desk, labels, chosen, wide - 2 * kMenuPadding);
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
    ImGui::PopID();
    return pressed;
}

bool track(Desk& desk, const char* id, Rect rect, double& position) {
    constexpr double kKnob = 8;
    pressable(desk, id, rect);
    const double from = rect.lo.x + kKnob, to = std::max(from + 1, rect.hi.x - kKnob);
    const bool held = ImGui::IsItemActive();
    bool moved = false;
    if (held) {
        const double wanted = std::clamp((ImGui::GetIO().MousePos.x - from) / (to - from), 0.0, 1.0);
        moved = wanted != position;
        position = wanted;
    }
    useHand();
    const double y = rect.centre().y, x = from + position * (to - from);
    fillBox({{from - 2, y - 2}, {to + 2, y + 2}}, desk.theme.line, 2);
    fillBox({{from - 2, y - 2}, {x, y + 2}}, desk.theme.accent, 2);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (held || ImGui::IsItemHovered()) list.AddCircleFilled(toIm(Vec2{x, y}), 13, toIm(desk.theme.accent.withAlpha(0.16f)), 32);
    list.AddCircleFilled(toIm(Vec2{x, y}), static_cast<float>(kKnob), toIm(desk.theme.accent), 32);
    list.AddCircleFilled(toIm(Vec2{x, y}), 3, toIm(desk.theme.onAccent), 16);
    return moved;
}

bool flipSwitch(Desk& desk, const char* id, Rect rect, bool on) {
    const bool pressed = pressable(desk, id, rect);
    const Rect box{{rect.hi.x - 38, rect.centre().y - 11}, {rect.hi.x, rect.centre().y + 11}};
    fillBox(box, on ? desk.theme.accent : hoverShade(desk, mix(desk.theme.raised, desk.theme.muted, 0.45)), 11);
    const Vec2 knob{on ? box.hi.x - 11 : box.lo.x + 11, box.centre().y};
    ImGui::GetWindowDrawList()->AddCircleFilled(toIm(knob), 8, toIm(on ? desk.theme.onAccent : desk.theme.panel), 24);
    useHand();
    return pressed;
}

bool editableText(Desk& desk, const std::string& key, Rect rect, const std::string& shown, std::string& text, bool alignRight) {
    static constexpr std::size_t kLongest = 4096;
    ImGui::PushID(key.c_str());
    ImGuiStorage& storage = *ImGui::GetStateStorage();
    const ImGuiID editing = ImGui::GetID("editing");
    bool entered = false;
    if (storage.GetInt(editing) == 0) {
        const bool pressed = pressable(desk, "show", rect);
        if (pressed && desk.options.touch)
            desk.app.wish({Wish::What::TypeParam, key});
        else if (pressed)
            storage.SetInt(editing, 1);
        if (ImGui::IsItemHovered()) {
            fillBox(rect, desk.theme.raised, 6);
            ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
        }
        TextStyle style = bodyStyle(desk);
        style.v = AlignV::Middle;
        style.h = alignRight ? AlignH::Right : AlignH::Left;
        write(desk, {alignRight ? rect.hi.x - 6 : rect.lo.x + 6, rect.centre().y}, escapeMarkup(shown), style);
    } else {
        const ImVec2 next = ImGui::GetCursorScreenPos();
        ImGui::SetCursorScreenPos(toIm(rect.lo));
        ImGui::SetNextItemWidth(static_cast<float>(rect.width()));
        if (storage.GetInt(editing) == 1) ImGui::SetKeyboardFocusHere();
        char buffer[kLongest] = {};
        text.copy(buffer, kLongest - 1);
        entered = ImGui::InputText("##field", buffer, kLongest, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
        desk.screen.interactive(rect);
        if (entered || ImGui::IsItemDeactivated()) {
            entered = entered || ImGui::IsItemDeactivatedAfterEdit();
            text = buffer;
            storage.SetInt(editing, 0);
        } else {
            storage.SetInt(editing, 2);
        }
        ImGui::SetCursorScreenPos(next);
    }
    ImGui::PopID();
    return entered;
}

}  // namespace kappaflow
