#include <algorithm>
#include <charconv>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "core/base/errors.h"
#include "core/io/printable.h"
#include "draw/own_fonts.h"
#include "draw/raster.h"
#include "scene/playhead.h"
#include "scenes/picture.h"
#include "scenes/picture_svg.h"

// kappaflow render: a scene's picture as an SVG document or as pixels, or many of them along its timeline. No display, no GL.
namespace kappaflow {
namespace {

constexpr int kSmallest = 200, kLargest = 4000, kLargestScale = 4, kMostPixels = 8000;  // of a side
constexpr int kMostFrames = 10000;
constexpr double kCompactWidth = 760;  // as on the screen: narrower pictures stack their parts

struct Canvas {
    int width = 0, height = 0;
    bool dark = false, highContrast = false, words = false;
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
    return {*width, *height, isSecond("--theme", options.theme, "light", "dark"), isSecond("--contrast", options.contrast, "usual", "more"),
            isSecond("--ui", options.ui, "figure", "full")};
}

enum class Output { Svg, Pixels, Marks };

Output outputOf(const CommandOptions& options, const Canvas& canvas) {
    const std::string ending = std::filesystem::path(options.out).extension().string();
    const bool asPixels = ending == ".png" || ending == ".PNG";
    if (!options.marks && !asPixels && !ending.empty() && ending != ".svg" && ending != ".SVG")
        throw InputError("render writes SVG and PNG: name the file .svg or .png, not " + quote(ending) + ".");
    if (!asPixels && options.scale != 1) throw InputError("--scale is for PNG: name the file .png with --out.");
    if (options.scale < 1 || options.scale > kLargestScale)
        throw InputError("--scale takes a whole number from 1 to " + std::to_string(kLargestScale) + ", not " +
                         std::to_string(options.scale) + ".");
    if (std::max(canvas.width, canvas.height) * options.scale > kMostPixels)
        throw InputError("A PNG has at most " + std::to_string(kMostPixels) + " pixels a side: lower --size or --scale.");
    if (options.marks && asPixels) throw InputError("--marks gives names, not pixels: name the file otherwise than .png.");
    if (options.frames < 0 || options.frames == 1 || options.frames > kMostFrames)
        throw InputError("--frames takes a whole number from 2 to " + std::to_string(kMostFrames) + ", not " +
                         std::to_string(options.frames) + ".");
    if (options.frames && options.marks) throw InputError("--marks is for one picture, not for --frames.");
    if (options.frames && options.out.empty()) throw InputError("--frames needs --out NAME.png, for numbered files, or NAME.svg.");
    return options.marks ? Output::Marks : asPixels ? Output::Pixels : Output::Svg;
}

/// "flow.png" → "flow-0007.png": as many digits as the last one needs, four at least.
std::string numbered(const std::string& out, int index, int frames) {
    const std::filesystem::path path(out);
    std::string digits = std::to_string(index + 1);
    digits.insert(0, std::max<std::size_t>(4, std::to_string(frames).size()) - digits.size(), '0');
    return (path.parent_path() / (path.stem().string() + "-" + digits + path.extension().string())).string();
}

/// The states along the timeline, evenly in the time that playing takes, each with its report.
class Film {
public:
    Film(const Meant& meant, int frames, const CommandLineHost& host) : meant_(meant), frames_(frames) {
        const Declaration& scene = requireDeclaration(meant.state.scene);
        const TimelineRow& timeline = scene.timelineBeside(meant.state.params);
        if (timeline.param.empty()) throw InputError(scene.id + " has no timeline with these settings: leave out --frames.");
        key_ = timeline.param;
        report_ = compute(meant.request, host);
        computed_ = scene.param(key_)->affects == Affects::Request;
        playhead_.setTrack(trackOf(scene, timeline, report_));
        if (playhead_.empty())
            throw InputError("With these settings the timeline of " + scene.id + " has one place only: leave out --frames.");
    }
    double seconds() const { return playhead_.duration(); }
    const Report& report() const { return report_; }
    /// Keeps what it has worked out, as long as the report is the same.
    Picture* picture() const { return picture_.get(); }
    /// Moves on; where what is computed depends on the place, it is computed again.
    const State& moveTo(int frame) {
        state_ = meant_.state;
        state_.params.set(key_, playhead_.valueAfter(static_cast<double>(frame) / (frames_ - 1)));
        if (computed_) {
            Request request = meant_.request;
            request.params = state_.params;
            Progress progress(&leftovers_);
            report_ = runRequest(request, progress);
        }
        if (computed_ || !picture_) picture_ = makePicture(state_.scene);
        return state_;
    }

private:
    const Meant& meant_;
    int frames_;
    Leftovers leftovers_;
    std::unique_ptr<Picture> picture_;
    std::string key_;
    bool computed_ = false;
    Report report_;
    Playhead playhead_;
    State state_;
};

}  // namespace

int renderScene(const CommandOptions& options, const CommandLineHost& host) {
    const Canvas canvas = canvasOf(options);
    const Output output = outputOf(options, canvas);
    const Meant meant = readRequest(options, "render");
    const Attachment* file = meant.request.network ? meant.request.network.get() : meant.request.data.get();
    const auto figureOf = [&](const Report& report, const State& state, Picture* picture = nullptr) {
        return FigureRequest{.report = report,
                             .state = state,
                             .width = static_cast<double>(canvas.width),
                             .height = static_cast<double>(canvas.height),
                             .dark = canvas.dark,
                             .highContrast = canvas.highContrast,
                             .compact = canvas.width < kCompactWidth,
                             .words = canvas.words,
                             .file = file ? file->name : std::string(),
                             .picture = picture};
    };
    std::optional<RasterCanvas> pixels;
    const auto drawn = [&](const FigureRequest& figure) {
        if (!pixels) pixels.emplace(ownFonts(), canvas.width, canvas.height, options.scale);
        return pixels->draw(figure.theme(), [&](Painter& painter) { drawPicture(painter, figure); });
    };

    if (options.frames) {
        const bool numberedFiles = output == Output::Pixels;
        checkWritable(numberedFiles ? numbered(options.out, 0, options.frames) : options.out);
        Film film(meant, options.frames, host);
        warn(host, meant.warnings);
        ProgressBar bar(host);
        if (!numberedFiles) {
            const auto frame = [&](std::size_t i) {
                const State& state = film.moveTo(static_cast<int>(i));
                return figureOf(film.report(), state, film.picture());
            };
            const std::string svg = filmSvg(static_cast<std::size_t>(options.frames), frame, film.seconds() / options.frames,
                                            HeadlessFonts(ownFonts()).measure());
            if (svg.empty()) throw InputError("These pictures take more than 30 MB as one SVG: ask for fewer, or for PNG files.");
            deliver(host, options.out, svg);
            return film.report().status == Status::Ok ? 0 : 1;
        }
        std::future<void> writing;  // one picture is packed and written while the next is drawn
        for (int i = 0; i < options.frames; ++i) {
            const State& state = film.moveTo(i);
            Raster raster = drawn(figureOf(film.report(), state, film.picture()));
            if (writing.valid()) writing.get();
            writing =
                std::async(std::launch::async, [&host, state, raster = std::move(raster), name = numbered(options.out, i, options.frames)] {
                    deliver(host, name, picturePng(raster, state));
                });
            bar.tick((i + 1.0) / options.frames);
        }
        writing.get();
        return film.report().status == Status::Ok ? 0 : 1;
    }

    if (!options.out.empty()) checkWritable(options.out);
    const Report report = compute(meant.request, host);
    warn(host, meant.warnings);
    const FigureRequest figure = figureOf(report, meant.state);
    if (output == Output::Marks)
        deliver(host, options.out, pictureMarks(figure));
    else if (output == Output::Pixels)
        deliver(host, options.out, picturePng(drawn(figure), meant.state));
    else
        deliver(host, options.out, pictureSvg(figure, HeadlessFonts(ownFonts()).measure()));
    return report.status == Status::Ok ? 0 : 1;
}

}  // namespace kappaflow
