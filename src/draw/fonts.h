#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

struct ImFont;

namespace kappaflow {

enum class FontFace { Regular, Italic, Bold };

/// The files scripts/subset_fonts.py writes, as bytes.
struct FontFiles {
    std::span<const unsigned char> ui, italic, bold, math;
};

/// A baked font, and the factor from its atlas pixels to CSS pixels at the size asked for.
struct SizedFont {
    ImFont* font = nullptr;
    double scale = 1;
};

/// The faces baked into ImGui's atlas at the sizes in use times the pixel ratio, so that text is sharp on every screen. ImGui itself
/// runs in CSS pixels: every ImFont carries Scale = 1 / pixelRatio. Without files ImGui's built-in font serves.
/// Sizes are ems, as in CSS; a line is kLineHeight ems high.
class FontSet {
public:
    /// Ascent and descent of a line, in ems (what the subset script gives every file).
    static constexpr double kAscent = 2728.0 / 2816, kDescent = 680.0 / 2816, kLineHeight = kAscent + kDescent;

    /// Copies the bytes. Returns "" or one sentence that names the file that is no font; then the fonts before stay.
    std::string setFiles(const FontFiles&);

    /// Bakes ImGui::GetIO().Fonts when files or pixel ratio changed since; call it between frames. True: the renderer has to make its
    /// font texture anew, and every ImFont* asked for before is void. About 60 ms natively at ratio 1, growing with its square.
    bool bake(double pixelRatio);

    /// The nearest baked size, for ImGui::PushFont (12, 13, 15, 19 exist in Regular; 13, 15, 19 in Bold).
    ImFont* font(FontFace, double size) const;
    /// The same, with the factor that makes the size exact.
    SizedFont pick(FontFace, double size) const;
    double pixelRatio() const { return pixelRatio_; }

private:
    struct Baked {
        FontFace face;
        double size;  ///< ems, CSS pixels
        ImFont* font;
    };
    void bakeBuiltIn();
    void bakeFace(FontFace, double size);
    void merge(const std::vector<unsigned char>& file, double pixels);
    const std::vector<unsigned char>& file(FontFace) const;

    std::vector<unsigned char> ui_, italic_, bold_, math_;
    std::vector<Baked> baked_;
    double pixelRatio_ = 0;
    bool changed_ = true;
};

}  // namespace kappaflow
