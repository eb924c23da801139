#pragma once
#include <cstddef>
#include <functional>
#include <string>

#include "draw/color.h"
#include "draw/markup.h"
#include "scene/report.h"
#include "scene/state.h"

namespace kappaflow {

class Picture;
struct Raster;

/// A picture wanted as a document of its own.
struct FigureRequest {
    const Report& report;  ///< of the state's scene
    const State& state;
    double width = 1200, height = 800;  ///< pixels, 200 … 4000 each; others are moved there
    bool dark = false, highContrast = false, compact = false;
    unsigned panels = ~0u;       ///< ranks of the panels that are shown, as bits
    bool words = false;          ///< the title above the picture and the caption below it
    std::string link = {};       ///< "": the state's own, without an address
    std::string caption = {};    ///< "": captionOf()
    std::string file = {};       ///< name of the attached file; told where the state uses it
    Report* lent = nullptr;      ///< the report itself, where its arrays may be taken while it is drawn; none: they are copied
    Picture* picture = nullptr;  ///< draws it, keeping what it has worked out of this report; none: a new one
    const Theme& theme() const { return Theme::of(dark, highContrast); }
};

/// The report's sentence, the scene's title and its source.
std::string captionOf(const Report&, const Declaration&);

/// The scene's picture of the report, standing still and untouched, as a complete SVG document of at most 2 MB: what the screen shows,
/// with `measure` of the screen's fonts (FontSet's, see textMeasure). "" for a scene that does not exist.
std::string pictureSvg(const FigureRequest&, const MeasureText& measure);

/// Pictures one after the other as an animated SVG document, over and over: each for `secondsEach`, the last one for two seconds more.
/// Of the same scene and size; title, link and caption are the last one's. "" where they
/// take more than 30 MB.
std::string filmSvg(std::size_t frames, const std::function<FigureRequest(std::size_t)>& frame, double secondsEach,
                    const MeasureText& measure);

/// Draws the same picture on another painter, in the request's size.
void drawPicture(Painter&, const FigureRequest&);

/// A picture's pixels as a PNG file, with the state's link as its text "Source".
std::string picturePng(const Raster&, const State&);

/// The names of the marks that this picture is drawn of, a line each, in the order in which they are drawn.
std::string pictureMarks(const FigureRequest&);

}  // namespace kappaflow
