#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "draw/markup.h"

struct ImDrawData;
struct ImFont;
struct ImGuiContext;

namespace kappaflow {

enum class FontFace { Regular, Italic, Bold };

/// The files tools/scripts/subset_fonts.py writes, as bytes.
struct FontFiles {
    std::span<const unsigned char> ui, italic, bold, math;
};

/// A baked font, and the factor from its own size to the size asked for.
struct SizedFont {
    ImFont* font = nullptr;
    double scale = 1;
};

/// The faces baked into ImGui's atlas at the sizes in use times the pixel ratio, so that text is sharp on every screen, while every
/// ImFont measures in CSS pixels, as all of ImGui does. Without files ImGui's built-in font serves.
/// Sizes are ems, as in CSS; a line is kLineHeight ems high (so ImGui::GetFontSize() is 18.2 for the 15 px font).
class FontSet {
public:
    /// Ascent and descent of a line, in ems: what the subset script gives every file.
    static constexpr double kAscent = 2728.0 / 2816, kDescent = 680.0 / 2816, kLineHeight = kAscent + kDescent;

    /// Copies the bytes. Empty italic, bold or math: the face is made of what there is. Returns "" or one sentence that names the file
    /// that is no font; then the fonts before stay.
    std::string setFiles(const FontFiles&);

    /// Bakes ImGui::GetIO().Fonts if files or pixel ratio changed since, 15 px Regular becoming ImGui's default; call it between
    /// frames. True: the renderer has to make its font texture anew, and every ImFont* handed out before is void.
    bool bake(double pixelRatio);

    /// The nearest baked size, for ImGui::PushFont: 12, 13, 15 and 19 are exact in Regular, 13, 15 and 19 in Italic and Bold.
    ImFont* font(FontFace face, double size) const { return pick(face, size).font; }
    /// The same, with the factor that makes the size exact.
    SizedFont pick(FontFace, double size) const;
    double pixelRatio() const { return pixelRatio_; }

private:
    struct Baked {
        FontFace face;
        double size;  ///< em, CSS pixels
        ImFont* font;
    };
    void bakeFace(FontFace, double size);
    const std::vector<unsigned char>& fileOf(FontFace) const;

    std::vector<unsigned char> ui_, italic_, bold_, math_;
    std::vector<Baked> baked_;
    double pixelRatio_ = 0;
    bool changed_ = true;
};

/// The screen's fonts where there is no screen, to measure with: the same files through the same code, so the same widths. About
/// 50 ms.
class HeadlessFonts {
public:
    explicit HeadlessFonts(const FontFiles&);
    ~HeadlessFonts();
    HeadlessFonts(const HeadlessFonts&) = delete;
    HeadlessFonts& operator=(const HeadlessFonts&) = delete;

    const FontSet& fonts() const { return fonts_; }
    /// Valid as long as this object.
    MeasureText measure() const;

private:
    FontSet fonts_;
    ImGuiContext* context_;  ///< owns the baked fonts; never the current one afterwards
};

}  // namespace kappaflow
