#include <algorithm>
#include <cmath>

#include "app/describe.h"
#include "app/panels.h"
#include "app/session.h"
#include "draw/imgui_support.h"
#include "draw/markup.h"
#include "scene/report.h"

namespace kappaflow {
namespace {

bool whole(const Param& param) { return param.kind == Kind::Integer || param.kind == Kind::Seed; }

// A logarithmic scale that includes zero or less would have no beginning: those move in equal steps.
bool inRatios(const Param& param) { return param.logarithmic && param.min > 0; }

double admissibleWhole(const Param& param, double value) {
    if (!param.odd) return std::round(value);
    const double odd = 2 * std::round((value - 1) / 2) + 1;
    return odd > param.max ? odd - 2 : odd;
}

// To a 1-2-5 grain fine enough for a few hundred places along the slider.
double grained(double value, double grainAtLeast) {
    const double power = std::pow(10, std::floor(std::log10(grainAtLeast)));
    const double ratio = grainAtLeast / power;
    const double grain = power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
    // Dividing by a whole number gives the double that is nearest to the short decimal; multiplying by 0.002 does not.
    if (grain >= 1) return std::round(value / grain) * grain;
    const double perUnit = std::round(1 / grain);
    return std::round(value * perUnit) / perUnit;
}

}  // namespace

double sliderPosition(const Param& param, double value) {
    value = std::clamp(value, param.min, param.max);
    if (param.max <= param.min) return 0;
    if (inRatios(param)) return std::log(value / param.min) / std::log(param.max / param.min);
    return (value - param.min) / (param.max - param.min);
}

double sliderValue(const Param& param, double position) {
    position = std::clamp(position, 0.0, 1.0);
    double value = param.min + position * (param.max - param.min);
    if (inRatios(param)) value = param.min * std::pow(param.max / param.min, position);
    if (whole(param)) return std::clamp(admissibleWhole(param, value), param.min, param.max);
    if (position == 0 || position == 1) return position == 0 ? param.min : param.max;
    const double grain = inRatios(param) ? value / 200 : (param.max - param.min) / 500;
    return std::clamp(grained(value, grain), param.min, param.max);
}

std::string valueLabel(const Param& param, double value) {
    for (const auto& option : param.options)
        if (option.number == value) return option.label;
    // Three digits leave the name room, more only before the point.
    const int before = 1 + static_cast<int>(std::floor(std::log10(std::max(1.0, std::abs(value)))));
    return whole(param) ? formatNumber(value) : inWords(value, std::max(3, before));
}

namespace {

// One control per kind of param, from its declaration.

constexpr double kLabelHeight = 26, kGap = 12;
constexpr int kMostSegments = 4;

void set(Desk& desk, const Param& param, Value value) { desk.session.change(Change::param(param.key, std::move(value))); }

std::string labelOf(const Param& param) {
    std::string label = escapeMarkup(param.label);
    if (*param.symbol) label += " " + symbolText(param.symbol);
    if (*param.unit) label += " (" + escapeMarkup(param.unit) + ")";
    return label;
}

// Name and symbol at the left; the help comes when the pointer rests on it.
Rect labelRow(Desk& desk, const Param& param, double height = kLabelHeight, double taken = 0) {
    const Rect row = takeRow(height);
    TextStyle style = bodyStyle(desk);
    style.v = AlignV::Middle;
    std::string label = labelOf(param);
    if (measure(desk, label, style).x > row.width() - taken && *param.symbol) label = escapeMarkup(param.label);
    if (measure(desk, label, style).x > row.width() - taken && *param.symbol) label = symbolText(param.symbol);
    write(desk, {row.lo.x, row.centre().y}, label, style);
    const double width = std::min(row.width(), measure(desk, label, style).x);
    pressable(desk, "label", {row.lo, {row.lo.x + width, row.hi.y}});
    desk.screen.tooltip(param.help);
    return row;
}

double controlHeight(const Desk& desk) { return desk.touch() ? 38 : 32; }

void enterText(Desk& desk, const Param& param, const std::string& text) {
    if (const std::string why = desk.session.setText(param.key, text); !why.empty()) desk.session.say(why);
}

// The number at the right end of a row: as wide as it is, so that it leaves the name alone.
double valueWidth(Desk& desk, const Param& param) {
    const std::string shown = valueLabel(param, desk.session.state().params.number(param.key));
    return std::max(52.0, measure(desk, escapeMarkup(shown), bodyStyle(desk)).x + 20);
}
void valueField(Desk& desk, const Param& param, Rect row) {
    const double value = desk.session.state().params.number(param.key);
    std::string text = formatValue(param, value);
    const Rect field{{row.hi.x - valueWidth(desk, param), row.lo.y}, row.hi};
    if (editableText(desk, param.key, field, valueLabel(param, value), text)) enterText(desk, param, text);
}

// Names for special values ("centre", "1/L"): one press sets them.
void namedValues(Desk& desk, const Param& param) {
    if (param.options.empty()) return;
    const double value = desk.session.state().params.number(param.key);
    Rect row = takeRow(desk.touch() ? 34 : 28);
    double x = row.lo.x;
    for (const auto& option : param.options) {
        const double width = measure(desk, escapeMarkup(option.label), bodyStyle(desk, desk.theme.smallSize)).x + 20;
        if (x + width > row.hi.x) break;
        if (pill(desk, option.key, {{x, row.lo.y + 2}, {x + width, row.hi.y - 2}}, option.label, value == option.number))
            set(desk, param, option.number);
        x += width + 6;
    }
}

void numberControl(Desk& desk, const Param& param) {
    constexpr double kPadding = 8;  // of the field at its left
    const Rect row = labelRow(desk, param, kLabelHeight, valueWidth(desk, param) - kPadding);
    valueField(desk, param, row);
    const double value = desk.session.state().params.number(param.key);
    double position = sliderPosition(param, value);
    if (track(desk, "track", takeRow(desk.touch() ? 32 : 24), position)) set(desk, param, sliderValue(param, position));
    namedValues(desk, param);
}

// Any seed will do, so long as it is another one: neighbours draw networks that have nothing in common.
void seedControl(Desk& desk, const Param& param) {
    const Rect row = labelRow(desk, param, controlHeight(desk));
    const double side = row.height();
    valueField(desk, param, {row.lo, row.hi - Vec2{side + 4, 0}});
    const double value = desk.session.state().params.number(param.key);
    if (iconButton(desk, "dice", {{row.hi.x - side, row.lo.y}, row.hi}, Icon::Dice, "another draw"))
        set(desk, param, value >= param.max ? param.min : value + 1);
}

void booleanControl(Desk& desk, const Param& param) {
    const Rect row = labelRow(desk, param, controlHeight(desk));
    const bool on = desk.session.state().params.flag(param.key);
    if (flipSwitch(desk, "switch", {{row.hi.x - 48, row.lo.y}, row.hi}, on)) set(desk, param, !on);
}

std::vector<std::string> optionLabels(const Param& param) {
    std::vector<std::string> labels;
    for (const auto& option : param.options) labels.emplace_back(option.label);
    return labels;
}

int chosenOption(const Param& param, const std::string& key) {
    for (std::size_t i = 0; i < param.options.size(); ++i)
        if (key == param.options[i].key) return static_cast<int>(i);
    return 0;
}

void choiceControl(Desk& desk, const Param& param) {
    labelRow(desk, param);
    const Rect row = takeRow(controlHeight(desk));
    const auto labels = optionLabels(param);
    const int chosen = chosenOption(param, desk.session.state().params.text(param.key));
    const bool side = labels.size() <= kMostSegments && segmentsFit(desk, row.width(), labels);
    const int pressed = side ? segments(desk, "options", row, labels, chosen)
                             : dropDown(desk, "##options", row, labels[static_cast<std::size_t>(chosen)], labels, chosen);
    if (pressed >= 0) set(desk, param, std::string(param.options[static_cast<std::size_t>(pressed)].key));
}

void fileControl(Desk& desk, const Param& param) {
    labelRow(desk, param);
    const Rect row = takeRow(controlHeight(desk));
    const double side = row.height();
    auto labels = optionLabels(param);
    const int chosen = chosenOption(param, desk.session.state().params.text(param.key));
    const bool data = param.kind == Kind::Data;
    const Attachment* file = data ? desk.session.data() : desk.session.network();
    // An attached file of another scene's kind is none here.
    if (file && !takes(param, contentOf(file->name, file->bytes))) file = nullptr;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (param.options[i].isFile()) labels[i] = file ? file->name : "open your own …";
    const int pressed = dropDown(desk, data ? "##data" : "##network", {row.lo, {row.hi.x - side - 4, row.hi.y}},
                                 labels[static_cast<std::size_t>(chosen)], labels, chosen);
    const bool open = iconButton(desk, data ? "open data" : "open", {{row.hi.x - side, row.lo.y}, row.hi}, Icon::Open, invitation(param));
    const bool wantsFile = pressed >= 0 && param.options[static_cast<std::size_t>(pressed)].isFile();
    if (open || (wantsFile && !file))
        desk.app.wish({Wish::What::OpenFile, ""});
    else if (pressed >= 0)
        set(desk, param, std::string(param.options[static_cast<std::size_t>(pressed)].key));
}

void listControl(Desk& desk, const Param& param) {
    labelRow(desk, param);
    const Rect row = takeRow(controlHeight(desk));
    std::string text = formatValue(param, desk.session.state().params.at(param.key));
    const std::string shown = text.empty() ? "none" : text;
    if (editableText(desk, param.key, row, shown, text, false)) enterText(desk, param, text);
}

// Painted in the picture; here one sees that there is something and can take it back.
void profileControl(Desk& desk, const Param& param) {
    const Rect row = labelRow(desk, param, controlHeight(desk));
    const bool standard = desk.session.state().params.at(param.key) == param.standard;
    const Rect box{{row.hi.x - 74, row.lo.y + 2}, {row.hi.x, row.hi.y - 2}};
    if (!standard && pill(desk, "again", box, "start over", false)) set(desk, param, param.standard);
}

}  // namespace

void drawParam(Desk& desk, const Param& param) {
    switch (param.kind) {
        case Kind::Number:
        case Kind::Integer:
            numberControl(desk, param);
            break;
        case Kind::Seed:
            seedControl(desk, param);
            break;
        case Kind::Boolean:
            booleanControl(desk, param);
            break;
        case Kind::Choice:
            choiceControl(desk, param);
            break;
        case Kind::List:
        case Kind::Architecture:
            listControl(desk, param);
            break;
        case Kind::Profile:
            profileControl(desk, param);
            break;
        case Kind::Network:
        case Kind::Data:
            fileControl(desk, param);
            break;
    }
    takeRow(kGap);
}

namespace {

bool shown(const Desk& desk, const Param& param, Group group) {
    return param.group == group && !desk.options.isHidden(param.key) && !desk.session.isLocked(param.key) && desk.session.isVisible(param);
}

bool anyShown(const Desk& desk, Group group) {
    const auto& params = desk.session.scene().params;
    return std::any_of(params.begin(), params.end(), [&](const Param& param) { return shown(desk, param, group); });
}

void drawPresets(Desk& desk) {
    const auto& presets = desk.session.scene().presets;
    if (presets.size() < 2) return;
    std::vector<std::string> names;
    for (const auto& preset : presets) names.push_back(preset.name);
    TextStyle style = mutedStyle(desk);
    style.v = AlignV::Middle;
    const Rect label = takeRow(24);
    write(desk, {label.lo.x, label.centre().y}, "Examples", style);
    const int chosen = presetOf(desk.session);
    const std::string now = chosen < 0 ? "your own settings" : names[static_cast<std::size_t>(chosen)];
    const int pressed = dropDown(desk, "##presets", takeRow(desk.touch() ? 38 : 32), now, names, chosen);
    if (pressed >= 0) desk.session.change(Change::preset(names[static_cast<std::size_t>(pressed)]));
    takeRow(14);
}

// On a phone the heading has room for one sentence only.
void drawTry(Desk& desk) {
    const std::string wish = headingOf(desk.session).tryThis;
    if (wish.empty()) return;
    const Vec2 at = fromIm(ImGui::GetCursorScreenPos());
    const double width = ImGui::GetContentRegionAvail().x;
    takeRow(writeWrapped(desk, at, proseText("Try: " + wish), mutedStyle(desk, desk.theme.smallSize), width) + kGap);
}

void drawGroup(Desk& desk, Group group) {
    // A copy: a press may change the scene under the loop.
    const std::string scene = desk.session.scene().id;
    for (const auto& param : findDeclaration(scene)->params) {
        if (desk.session.scene().id != scene) return;
        if (!shown(desk, param, group)) continue;
        ImGui::PushID(param.key);
        drawParam(desk, adapted(param, desk.session.state().params));
        ImGui::PopID();
    }
}

void drawMore(Desk& desk) {
    if (desk.options.ui != UiMode::Full || !anyShown(desk, Group::More)) return;
    const Rect row = takeRow(desk.touch() ? 40 : 34);
    const bool pressed = pressable(desk, "more", row);
    if (pressed) desk.folds.more = !desk.folds.more;
    const Color color = ImGui::IsItemHovered() ? desk.theme.text : desk.theme.muted;
    ImGui::GetWindowDrawList()->AddLine(toIm(row.lo), toIm(Vec2{row.hi.x, row.lo.y}), toIm(desk.theme.line));
    TextStyle style = bodyStyle(desk, desk.theme.smallSize);
    style.color = color;
    style.v = AlignV::Middle;
    write(desk, {row.lo.x, row.centre().y}, desk.folds.more ? "Less" : "More", style);
    drawIcon(*ImGui::GetWindowDrawList(), desk.folds.more ? Icon::ChevronDown : Icon::ChevronRight, {row.hi.x - 8, row.centre().y}, 10,
             color);
    takeRow(6);
    if (desk.folds.more) drawGroup(desk, Group::More);
}

}  // namespace

void drawParams(Desk& desk) {
    const Rect rect = desk.layout.params;
    if (rect.width() < 120 || rect.height() < 40) return;
    if (beginPanel(desk, "params", rect, desk.theme.panel)) {
        if (desk.layout.compact) drawTry(desk);
        if (!desk.options.isHidden("examples") && !desk.options.isHidden("presets")) drawPresets(desk);
        drawGroup(desk, Group::Main);
        drawMore(desk);
    }
    endPanel(desk, rect);
}

}  // namespace kappaflow
