// What the program says and draws, as text to be compared with what it said before (goldens.mjs).
//   goldens SCENE [PART PARTS]   each setting of the scene, or every PARTS-th of them: report, refusals, marks of the picture
//   goldens --scenes             the scenes there are, one a line
//   goldens --batch              command lines from the standard input, words between tabs; answers each with its status, the lengths of
//   its output and of its errors, and both; with KAPPAFLOW_REPORTS what was computed before is taken from there
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "cli/command_line.h"
#include "core/base/errors.h"
#include "jobs/export.h"
#include "scenes/picture.h"
#include "support/random_states.h"
#include "support/report_cache.h"

using namespace kappaflow;

namespace {

constexpr std::size_t kShort = 20, kPositions = 16;
constexpr double kAffordable = 2e9;  // operations: dearer ends of ranges are named with their cost, not run. Presets always are.
constexpr double kQuick = 2e8;       // a quarter of the settings, more than half of the time
bool quick() { return std::getenv("KAPPAFLOW_QUICK") != nullptr; }

std::string inQuotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) out += c == '\n' ? std::string("\\n") : c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return out + '"';
}

std::string printed(double value, int digits = 12) {
    if (std::isnan(value)) return "null";
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, value == 0 ? 0 : value);
    return text;
}

std::string hashed(std::string_view bytes) {
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

/// Which of n values are printed: all of few; of many the ends and 16 between.
std::vector<std::size_t> positions(std::size_t n) {
    std::vector<std::size_t> at;
    const std::size_t count = n <= kShort ? n : kPositions + 2;
    for (std::size_t i = 0; i < count; ++i) at.push_back(count == n ? i : i * (n - 1) / (count - 1));
    return at;
}

/// "n 400 undefined 3 max 2 sum 31 squares 40 | 0 0.1 …": undefined, sums and the largest magnitude only of what is not printed whole.
std::string summarised(const std::vector<double>& values) {
    std::string text = "n " + std::to_string(values.size());
    if (values.size() > kShort) {
        double undefined = 0, largest = 0, sum = 0, squares = 0;
        for (const double value : values)
            if (std::isnan(value))
                ++undefined;
            else if (std::isfinite(value))
                largest = std::max(largest, std::abs(value)), sum += value, squares += value * value;
        text += " undefined " + printed(undefined) + " max " + printed(largest) + " sum " + printed(sum) + " squares " + printed(squares);
    }
    text += " |";
    for (const std::size_t i : positions(values.size())) text += ' ' + printed(values[i]);
    return text;
}

std::string summarised(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::size_t i : positions(texts.size())) out += ' ' + inQuotes(texts[i]);
    if (texts.size() <= kShort) return out;
    std::string all;
    for (const auto& text : texts) (all += text) += '\0';
    return out + " all " + hashed(all);
}

/// What depends chaotically on rounding: how many numbers, and their root mean square.
std::string statistics(const std::vector<double>& values) {
    double defined = 0, squares = 0;
    for (const double value : values)
        if (std::isfinite(value)) ++defined, squares += value * value;
    return "n " + std::to_string(values.size()) + " defined " + printed(defined) + " rms " +
           printed(std::sqrt(squares / std::max(defined, 1.0)), 3);
}

void printReport(const Report& report, const Declaration& scene) {
    const auto chaotic = [&](const std::string& name) { return std::find(scene.bits.begin(), scene.bits.end(), name) != scene.bits.end(); };
    std::cout << "status " << statusName(report.status) << ' ' << inQuotes(report.message) << '\n';
    std::cout << "summary " << inQuotes(report.summary) << '\n';
    for (const auto& warning : report.warnings) std::cout << "warning " << inQuotes(warning) << '\n';
    for (const auto& note : report.notes) std::cout << "note " << note.part << ' ' << inQuotes(note.text) << '\n';
    for (const auto& scalar : report.scalars) {
        if (chaotic(scalar.name))
            std::cout << "chaotic " << scalar.name << ' ' << statistics({scalar.value});
        else
            std::cout << "scalar " << scalar.name << ' ' << printed(scalar.value);
        if (scalar.standardError) std::cout << " error " << printed(*scalar.standardError) << " draws " << printed(scalar.draws);
        std::cout << ' ' << inQuotes(scalar.symbol) << ' ' << inQuotes(scalar.about) << '\n';
    }
    for (const auto& array : report.arrays) {
        std::cout << "about " << array.name << ' ' << roleName(array.role) << ' ' << inQuotes(array.symbol) << ' ' << inQuotes(array.about)
                  << '\n';
        for (const auto& axis : array.axes)
            std::cout << "axis " << array.name << ' ' << axis.name << ' '
                      << (axis.keys.empty() ? summarised(axis.values) : "n " + std::to_string(axis.keys.size()) + summarised(axis.keys))
                      << '\n';
        if (chaotic(array.name))
            std::cout << "chaotic " << array.name << ' ' << statistics(array.values) << '\n';
        else
            std::cout << "array " << array.name << ' ' << summarised(array.values) << '\n';
        if (!array.standardError.empty()) std::cout << "errors " << array.name << ' ' << summarised(array.standardError) << '\n';
    }
    for (std::size_t i = 0; i < report.network.size(); ++i) {
        const ReportLayer& layer = report.network[i];
        std::cout << "layer " << i + 1 << ' ' << layer.kind << ' '
                  << summarised(std::vector<double>(layer.shape.begin(), layer.shape.end())) << '\n';
        std::cout << "weights " << i + 1 << ' ' << summarised(layer.weights) << '\n';
        std::cout << "bias " << i + 1 << ' ' << summarised(layer.bias) << '\n';
    }
    if (!report.networkFile.empty()) std::cout << "file " << report.networkFile.size() << " bytes\n";
}

/// Marks of one kind and id: how many, their texts, where they are (every point's mean and box, then some points), and their numbers.
struct MarkGroup {
    std::string name;
    std::size_t count = 0;
    std::vector<std::string> texts;
    std::vector<Vec2> points;
    std::vector<double> numbers;
};

std::string placesOf(const std::vector<Vec2>& points) {
    double left = 1e300, right = -1e300, top = 1e300, bottom = -1e300, x = 0, y = 0;
    std::size_t finite = 0;
    for (const Vec2& p : points) {
        if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
        ++finite, x += p.x, y += p.y;
        left = std::min(left, p.x), right = std::max(right, p.x), top = std::min(top, p.y), bottom = std::max(bottom, p.y);
    }
    std::string text = " points " + std::to_string(points.size());
    const auto pixels = [&](double value) {
        char digits[40];
        std::snprintf(digits, sizeof digits, " %.1f", std::abs(value) < 0.05 ? 0 : value);
        text += digits;
    };
    if (finite == 0) return text;
    if (points.size() > 8) {
        text += " of " + std::to_string(finite);
        for (const double value : {left, top, right, bottom, x / static_cast<double>(finite), y / static_cast<double>(finite)})
            pixels(value);
        text += " |";
    }
    const std::size_t some = std::min<std::size_t>(points.size(), 8);
    for (std::size_t i = 0; i < some; ++i) {
        const Vec2& p = points[some == points.size() ? i : i * (points.size() - 1) / (some - 1)];
        pixels(p.x), pixels(p.y);
    }
    return text;
}

/// Ids of one series ("tick/0", "tick/1") are one group.
std::string groupOf(const DrawnMark& mark) {
    std::string name = mark.kind + ' ' + (mark.id.empty() ? "-" : mark.id);
    while (name.size() > 1 && std::isdigit(static_cast<unsigned char>(name.back()))) name.pop_back();
    std::replace(name.begin() + static_cast<std::ptrdiff_t>(mark.kind.size()) + 1, name.end(), ' ', '_');
    if (mark.dash != Dash::Solid) name += mark.dash == Dash::Dashed ? "--" : "..";
    return name;
}

void printPicture(const State& state, const Report& report, double width, double height) {
    Recorder recorder;
    Handles handles;
    handles.beginFrame({});
    PictureFrame frame{.painter = recorder,
                       .theme = Theme::light(),
                       .handles = handles,
                       .report = report,
                       .reportVersion = 1,
                       .state = state,
                       .area = {{0, 0}, {width, height}},
                       .seconds = 2,
                       .compact = width < 760,
                       .changes = {}};
    makePicture(state.scene)->draw(frame);
    handles.endFrame();
    std::vector<MarkGroup> groups;
    for (const auto& mark : recorder.marks) {
        const std::string name = groupOf(mark);
        auto found = std::find_if(groups.begin(), groups.end(), [&](const MarkGroup& group) { return group.name == name; });
        if (found == groups.end()) found = groups.insert(groups.end(), {name, 0, {}, {}, {}});
        ++found->count;
        if (mark.kind == "text") found->texts.push_back(mark.text);
        found->points.insert(found->points.end(), mark.points.begin(), mark.points.end());
        if (mark.kind == "field" || mark.kind == "plane")
            found->numbers.insert(found->numbers.end(), mark.numbers.begin(), mark.numbers.end());
    }
    std::cout << "picture " << width << ' ' << height << " marks " << recorder.marks.size() << '\n';
    for (const auto& group : groups) {
        std::cout << group.name << " × " << group.count << placesOf(group.points) << summarised(group.texts) << '\n';
        if (!group.numbers.empty()) std::cout << "numbers " << group.name << ' ' << summarised(group.numbers) << '\n';
    }
    for (const auto& handle : handles.shown())
        std::cout << "handle " << handle.id << ' ' << printed(handle.value) << ' ' << printed(handle.min) << ' ' << printed(handle.max)
                  << ' ' << printed(handle.step) << ' ' << inQuotes(handle.label) << ' ' << inQuotes(handle.valueText)
                  << placesOf({handle.rect.lo, handle.rect.hi}) << '\n';
}

struct Setting {
    std::string name;
    State state;
    bool preset = false;  ///< always run, and drawn at both sizes
    bool view = false;    ///< changes the picture alone
};

State changed(const State& state, const std::string& key, const Value& value) {
    std::vector<std::string> warnings;
    return apply(state, Change::param(key, value), warnings);
}

/// Defaults, presets, every option of every choice, both ends of every range; a param that shows only beside others is changed in the
/// first of these settings that shows it.
std::vector<Setting> settingsOf(const Declaration& scene) {
    std::vector<Setting> settings{{"defaults", initialState(scene.id), true, false}};
    std::vector<std::string> warnings;
    for (const auto& preset : scene.presets) {
        State state = apply(initialState(scene.id), Change::preset(preset.name), warnings);
        if (!(state == settings.front().state)) settings.push_back({"preset " + preset.name, std::move(state), true, false});
    }
    std::vector<State> bases;
    for (const auto& setting : settings) bases.push_back(setting.state);
    for (const auto& param : scene.params)
        if (param.kind == Kind::Choice || param.kind == Kind::Boolean)
            for (const auto& value : extremesOf(param)) bases.push_back(changed(bases.front(), param.key, value));
    for (const auto& param : scene.params) {
        const auto base = std::find_if(bases.begin(), bases.end(), [&](const State& s) { return param.visible(s.params); });
        const State& from = base == bases.end() ? bases.front() : *base;
        const bool view = param.affects == Affects::View, timeline = param.key == scene.timeline.param;
        if (view && param.kind != Kind::Choice && param.kind != Kind::Boolean && !timeline) continue;
        for (const auto& value : extremesOf(param)) {
            const State state = changed(from, param.key, value);
            const bool known = std::any_of(settings.begin(), settings.end(), [&](const Setting& s) { return s.state == state; });
            if (known || state == from) continue;
            const std::string text = formatValue(param, state.params.at(param.key));
            const std::string beside = &from == &bases.front() ? "" : " beside " + formatLink(from);
            settings.push_back(
                {std::string(param.key) + "=" + (text.size() > 60 ? text.substr(0, 40) + "…" : text) + beside, state, false, view});
        }
    }
    return settings;
}

Request requestOf(const State& state) {
    Request request;
    request.scene = state.scene;
    request.params = state.params;
    return request;
}

void printSetting(const Setting& setting, const Declaration& scene, const Report& standard) {
    std::cout << "== " << setting.name << "\nlink " << formatLink(setting.state) << '\n';
    if (setting.view) return printPicture(setting.state, standard, 1200, 800);
    Request request = requestOf(setting.state);
    request.withNetwork = scene.savesNetwork && setting.name == "defaults";
    try {
        const Cost cost = modelOf(scene.id).open(request)->cost();
        const bool refused = !(cost.operations <= kCostLimit.operations && cost.bytes <= kCostLimit.bytes);
        std::cout << "cost operations " << printed(cost.operations, 4) << " bytes " << printed(cost.bytes, 4) << '\n';
        if (cost.operations > kAffordable && !refused && !setting.preset) return;
        if (cost.operations > kQuick && quick() && !refused && !setting.preset) {
            std::cout << "left out\n";
            return;
        }
        const Report report = setting.preset ? reportOf(request) : runRequest(request);
        printReport(report, scene);
        if (!setting.preset) return;
        printPicture(setting.state, report, 1200, 800);
        printPicture(setting.state, report, 390, 844);
    } catch (const InputError& refusal) {
        std::cout << "refused " << inQuotes(refusal.what()) << '\n';
    }
}

void printScene(const Declaration& scene, std::size_t part, std::size_t parts) {
    if (part == 0) std::cout << "== words\n" << declarationText(scene);
    const Report standard = reportOf(requestOf(initialState(scene.id)));
    std::size_t at = 0;
    for (const auto& setting : settingsOf(scene))
        if (++at % parts == part) printSetting(setting, scene, standard);
}

int batch() {
    for (std::string line; std::getline(std::cin, line);) {
        std::vector<std::string> words{"kappaflow"};
        std::istringstream in(line);
        for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
        std::vector<char*> argv;
        for (auto& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        std::ostringstream out, err;
        CommandLineHost host;
        host.out = &out;
        host.err = &err;
        host.compute = cachedReport;
        const int status = runCommandLine(static_cast<int>(words.size()), argv.data(), host);
        std::cout << status << ' ' << out.str().size() << ' ' << err.str().size() << '\n' << out.str() << err.str() << std::flush;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    try {
        if (words.size() == 1 && words[0] == "--batch") return batch();
        if (words.size() == 1 && words[0] == "--scenes")
            for (const auto& scene : declarations()) std::cout << scene.id << '\n';
        else if (words.size() == 1 || words.size() == 3)
            printScene(requireDeclaration(words[0]), words.size() == 1 ? 0 : std::stoul(words[1]),
                       words.size() == 1 ? 1 : std::stoul(words[2]));
        else
            throw InputError("usage: goldens SCENE [PART PARTS] | --scenes | --batch");
    } catch (const InputError& refusal) {
        std::cerr << refusal.what() << '\n';
        return 2;
    }
    return 0;
}
