#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "draw/layout.h"
#include "scene/table.h"
#include "scenes/picture.h"

namespace kappaflow {

/// Row of a table of rows at a fractional index: the two neighbouring rows mixed; NaN where either is, and where there is no row yet.
std::vector<double> rowAt(const std::vector<double>& rows, std::size_t length, double index);
/// Top of an axis over a whole timeline, whose rows [step][…] these are: the largest value; but where single steps' lie far above the
/// others', twice the median step's largest, so that those leave it.
double topOverSteps(const std::vector<double>& rows, std::size_t length);

/// One curve of a plot. Theory is dashed in the colour of theory, a bound dotted, what is measured solid.
struct Curve {
    std::string id;
    std::vector<double> x, y;
    Role role = Role::Measurement;
    std::string label{};           ///< at its end
    std::optional<Color> color{};  ///< none: theory's
    double width = 2;
    bool filled = false, dotted = false;  ///< down to the axis; with a marker at each point
    std::vector<double> error{};          ///< drawn as a band
    float bandAlpha = 0.25f;              ///< of the error band
    std::vector<double> low{}, high{};    ///< ends of a band, of draws say
};

/// How the y axis follows the curves; Given: it is as it is said.
enum class Fit { Given, FromZero, Decades };

/// A plot of curves, zoomed by the reader as others are.
struct Curves {
    std::string id, title{};
    AxisSpec x{}, y{};
    Fit fit = Fit::FromZero;
    std::vector<Curve> curves{};
    std::optional<double> now{};  ///< where an upright line marks what the rest of the picture shows
    /// Called between the curves and the axes: marks and handles of its own.
    std::function<void(PictureFrame&, Plot&)> more{};
};
void drawCurves(PictureFrame&, Curves, Rect);

/// Writes the first of these sentences that fits into the width; the last one, cut off, where none does.
void drawFitting(PictureFrame&, std::string_view id, Vec2 at, const std::vector<std::string>& sentences, const TextStyle&, double width);

/// A handle on a plot that changes a param by being dragged along one of its axes.
struct AxisHandle {
    std::string id, label, valueText;
    double value, min, max, step;
    double x, y = 1;                          ///< where its knob stands, in the plot's units; on an axis cut off, at its end
    bool upright = false;                     ///< dragged along y
    std::function<double(double)> valueAt{};  ///< of a place along the axis; none: the place itself
    std::string line{};                       ///< part of the plot whose upright line at x it drags, from anywhere along it
};
/// Offers it; the new value when the reader moved it.
std::optional<double> dragAlong(PictureFrame&, const Plot&, const AxisHandle&);
/// A point that a drag moves both ways; the keyboard moves it along x by the handle ID + "X", and upwards by ID + "Y".
struct PointHandle {
    std::string id, label;
    Vec2 value, lo, hi;  ///< in the drawing's own coordinates
    double step;
    Rect rect;
    Vec2 dragged;  ///< where the pointer takes it to in this frame
};
/// Offers it; where it was moved to, if it was. `grip`: how it is held.
std::optional<Vec2> dragPoint(PictureFrame&, const PointHandle&, Handles::Grip& grip);
/// How many there are of something: a row of dots from `first` on, a knob on the one that counts.
struct KnobRow {
    std::string id, label, dots;  ///< dots: their mark
    double count, least, most;
    Vec2 first;
    double spacing;
};
/// Offers it; the new count when the reader changed it.
std::optional<double> chooseCount(PictureFrame&, const KnobRow&);
/// The upright line where the timeline stands, which scrubs it: `steps` are the values of `at` (rising or falling), `places` where each
/// stands on the plot.
struct Scrub {
    std::string id, label, valueText;
    const std::vector<double>&steps, &places;
    double at;
    const char* param = "at";  ///< that is scrubbed
};
void scrub(PictureFrame&, Plot&, const std::string& plot, const Scrub&);

/// What the picture of a scene with a table sees in one frame.
template <class Params, class Result>
struct Sight {
    PictureFrame& f;
    const Params& params;  ///< as the reader has them now
    const Params& asked;   ///< those that the result answers
    const Params& before;  ///< as they were in the frame before
    const Result& result;

    Layout panel(int rank, Vec2 least, std::function<void(Rect)> draw) const { return {rank, least, std::move(draw)}; }
    Layout panel(int rank, Vec2 least, Curves curves) const {
        return {rank, least, [&frame = f, curves = std::move(curves)](Rect rect) { drawCurves(frame, curves, rect); }};
    }
};

namespace table {

struct NoCache {};
template <class Function>
struct SightOf;
template <class Params_, class Result_>
struct SightOf<Layout (*)(const Sight<Params_, Result_>&)> {
    using Params = Params_;
    using Result = Result_;
    using Cache = NoCache;
};
template <class Params_, class Result_, class Cache_>
struct SightOf<Layout (*)(const Sight<Params_, Result_>&, Cache_&)> {
    using Params = Params_;
    using Result = Result_;
    using Cache = Cache_;
};

/// A table's picture without its types: reads a report into the result, by copying its arrays or by taking them.
class ReportPicture : public Picture {
public:
    void draw(PictureFrame&) final;
    void take(Report&, std::uint64_t version) final;
    void giveBack(Report&, std::uint64_t version) final;
    void free() final;

protected:
    ReportPicture(const SceneTable& rows, void* asked, void* result) : rows_(rows), asked_(asked), result_(result) {}

private:
    virtual void layOut(PictureFrame&) = 0;
    /// Forgets the params asked, the result and what was made of it.
    virtual void forget() = 0;
    void begin(const Report&, std::uint64_t version);

    const SceneTable& rows_;
    void *asked_, *result_;
    std::optional<std::uint64_t> version_;
    bool lent_ = false;  ///< the arrays of that version are given back
};

template <const SceneTable& rows, auto layout>
class TablePicture final : public ReportPicture {
    using Params = typename SightOf<decltype(layout)>::Params;
    using Cache = typename SightOf<decltype(layout)>::Cache;

public:
    TablePicture() : ReportPicture(rows, &asked_, &result_) {}

private:
    void layOut(PictureFrame& f) override {
        Params now;
        bindParams(rows, f.state.params, &now);
        const Params before = std::exchange(before_, now).value_or(now);
        const Sight<Params, typename SightOf<decltype(layout)>::Result> sight{f, now, asked_, before, result_};
        if constexpr (std::is_same_v<Cache, NoCache>)
            layout(sight).draw(f.area, f.panels);
        else
            layout(sight, cache_).draw(f.area, f.panels);
    }
    void forget() override {
        asked_ = {}, result_ = {};
        if constexpr (!requires { Cache::kBetweenReports; }) cache_ = {};
    }

    Params asked_;
    std::optional<Params> before_;
    typename SightOf<decltype(layout)>::Result result_;
    Cache cache_;
};

}  // namespace table

/// The picture of a scene with a table: `Layout layout(const Sight<Params, Result>&)`, made anew each frame; or `Layout layout(const
/// Sight<Params, Result>&, Cache&)` with what is costly to make, empty at the first frame of each report, unless it declares a
/// kBetweenReports: it remembers then.
template <const SceneTable& rows, auto layout>
PictureEntry tablePicture() {
    return {rows.id, [] { return std::unique_ptr<Picture>(std::make_unique<table::TablePicture<rows, layout>>()); }};
}

}  // namespace kappaflow
