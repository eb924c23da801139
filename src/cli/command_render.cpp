// kappaflow render: a scene's picture as an SVG document. No display, no GL: the fonts are only measured.
#include <charconv>
#include <optional>

#include "cli/command_files.h"
#include "cli/command_report.h"
#include "cli/command_request.h"
#include "core/base/errors.h"
#include "draw/headless_fonts.h"
#include "fontBytes.h"
#include "scenes/picture_svg.h"

namespace kappaflow {
namespace {

constexpr int kSmallest = 200, kLargest = 4000;
constexpr double kCompactWidth = 760;  // as on the screen: narrower pictures stack their parts

struct Canvas {
    int width = 0, height = 0;
    bool dark = false, words = false;
};

std::optional<int> sideOf(std::string_view digits) {
    int side = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), side);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    return whole && side >= kSmallest && side <= kLargest ? std::optional(side) : std::nullopt;
}

bool isSecond(const std::string& option, const std::string& given, const std::string& first, const std::string& second) {
    if (given != first && given != second) throw InputError(option + " takes " + first + " or " + second + ", not " + quote(given) + ".");
    return given == second;
}

Canvas canvasOf(const CommandOptions& options) {
    const std::string_view size = options.size;
    const auto cross = size.find('x');
    const auto width = sideOf(size.substr(0, cross)), height = sideOf(cross == size.npos ? "" : size.substr(cross + 1));
    if (!width || !height)
        throw InputError("--size takes WIDTHxHEIGHT in pixels, each from " + std::to_string(kSmallest) + " to " + std::to_string(kLargest) +
                         ", such as 1200x800, not " + quote(options.size) + ".");
    return {*width, *height, isSecond("--theme", options.theme, "light", "dark"), isSecond("--ui", options.ui, "figure", "full")};
}

}  // namespace

int renderScene(const CommandOptions& options, const CommandLineHost& host) {
    const Canvas canvas = canvasOf(options);
    const Meant meant = readRequest(options, "render");
    if (!options.out.empty()) checkWritable(options.out);
    const Report report = compute(meant.request, host);
    warn(host, meant.warnings);
    const HeadlessFonts fonts({fontBytes("ui.ttf"), fontBytes("ui-italic.ttf"), fontBytes("ui-bold.ttf"), fontBytes("math.ttf")});
    const Attachment* file = meant.request.network ? meant.request.network.get() : meant.request.data.get();
    const FigureRequest figure{.report = report,
                               .state = meant.state,
                               .width = static_cast<double>(canvas.width),
                               .height = static_cast<double>(canvas.height),
                               .dark = canvas.dark,
                               .compact = canvas.width < kCompactWidth,
                               .words = canvas.words,
                               .file = file ? file->name : std::string()};
    deliver(host, options.out, pictureSvg(figure, fonts.measure()));
    return report.status == Status::Ok ? 0 : 1;
}

}  // namespace kappaflow
