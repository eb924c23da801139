#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/layout.h"
#include "draw/color.h"
#include "draw/fonts.h"
#include "draw/handles.h"
#include "draw/markup.h"
#include "draw/painter.h"
#include "scenes/picture_svg.h"

struct ImGuiContext;
struct ImGuiIO;

namespace kappaflow {

class App;
class GlContext;

/// ImGui, its fonts and the GL objects of one program: begun and ended around each drawn frame. Several may live side by side.
class Screen {
public:
    Screen();
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    /// Makes this screen's ImGui current; before any io() event.
    ImGuiIO& io();
    FontSet& fonts() { return *fonts_; }
    const FontSet& fonts() const { return *fonts_; }
    /// Advance widths of the fonts on the screen, also before the first frame.
    MeasureText measureText();
    /// With the GL context current. "" or one sentence: then pictures do without GL, or nothing can be shown at all (usable()).
    std::string glReady();
    /// The context is gone, and everything in it.
    void glLost();
    /// Frees the GL objects; with the context current.
    void glDestroy();
    /// Without GL nothing can be shown; tests may still have everything drawn into lists that nobody renders.
    bool usable() const { return ready_ || headless_; }
    void useHeadless(bool on = true) { headless_ = on; }
    const std::string& glInfo() const { return glInfo_; }

    /// Opens the frame: fonts, style, ImGui::NewFrame().
    void begin(const FrameInput&, const Theme&);
    /// Closes it and renders into the current framebuffer.
    void end(const Theme&);
    /// Paints behind all panels.
    std::unique_ptr<Painter> picturePainter(const Theme&);

    /// The pointer over the picture, from ImGui's io; panels come first. Once a frame. `wheelZooms`: the wheel alone is the picture's
    /// (in a window of our own); on a page it is the browser's unless the zoom key is held.
    Pointer pointer(Rect picture, bool wheelZooms);
    /// A zoom by two fingers: counted as wheel notches with the zoom key at that place.
    void pinch(Vec2 at, double factor);

    /// Panels call this for every place that answers to the pointer,
    void interactive(Rect);
    /// and this for panels whose content is longer than they are.
    void scrollable(Rect);
    /// Of the last drawn frame: a touch that begins here is ours, a wheel that turns here is ours.
    bool interactiveAt(Vec2) const;
    bool scrollableAt(Vec2) const;
    /// Of the last drawn frame: something in a panel is held, a slider say.
    bool holding() const { return holding_; }
    std::size_t interactiveCount() const { return interactive_.size(); }
    /// The same while a frame is being drawn, of the one before; panels' empty places do not count.
    bool wasInteractive(Vec2) const;
    /// Panels: draw again in this many seconds (a tooltip's delay, a caret).
    void drawAgainIn(double seconds);
    /// Seconds until the screen itself wants to draw again; 0 now, −1 never.
    double wants(double now) const;
    bool wantsText() const { return wantsText_; }
    bool popupOpen() const { return popupOpen_; }
    /// An ImGuiMouseCursor, as of the last drawn frame.
    int cursor() const { return cursor_; }
    /// Shows a sentence about the item before, when the pointer has rested on it.
    void tooltip(const std::string& text);

private:
    void bakeFonts(double pixelRatio);

    ImGuiContext* context_;
    std::unique_ptr<FontSet> fonts_;
    std::unique_ptr<GlContext> context3d_;
    bool ready_ = false, headless_ = false, fontsUploaded_ = false, pressedOnPicture_ = false, wantsText_ = false, holding_ = false,
         popupOpen_ = false;
    std::string glInfo_ = "none";
    FrameInput input_;
    std::vector<Rect> interactive_, interactiveBefore_, scrollable_;
    double pinchNotches_ = 0;
    Vec2 pinchAt_;
    double drawAgainAt_ = -1, before_ = 0, hoveredSince_ = 0;
    unsigned hovered_ = 0, hoveredNow_ = 0, pressed_ = 0;
    int cursor_ = 0, tooltipFrames_ = 0;
};

/// How a reader wants to keep what is on the screen.
struct FigureWish {
    double width = 0, height = 0;  ///< CSS pixels; 0: as large as on the screen
    bool dark = false;
    std::string link = {};     ///< a link to the program; what stands behind its # becomes the state as it stands
    std::string caption = {};  ///< "": the report's own words
};

/// The picture as it stands, of the newest report; none while there is no report, or nothing that draws it. Refers to the session.
std::optional<FigureRequest> figureRequest(App&, const FigureWish&);
/// Writes that picture as an SVG document; "" where there is none.
std::string figureSvg(App&, const FigureWish&);

/// Gives ImGui's own widgets (combos, text fields, popups, scroll bars) the theme's colours and our sizes.
void applyStyle(const Theme&);

}  // namespace kappaflow
