#include "draw/fonts.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "draw/imgui_shapes.h"

namespace kappaflow {
namespace {

using FontBytes = std::span<const unsigned char>;

// Where the subset has characters; stb_truetype is asked for each code point, so the ranges are kept to these blocks. The
// mathematical letters beyond 16 bits make ImGui's tables a megabyte larger per font: only faces that need them take them.
constexpr ImWchar kRanges[] = {0x20,   0x17F,  0x370,  0x3FF,  0x2010, 0x20BF,  0x2100,  0x23FF, 0x25A0,
                               0x25FF, 0x2700, 0x27FF, 0x2A00, 0x2AFF, 0x1D490, 0x1D55F, 0};
constexpr ImWchar kRangesBold[] = {0x20, 0x17F, 0x370, 0x3FF, 0x2010, 0x20BF, 0x2100, 0x23FF, 0x25A0, 0x25FF, 0};

struct Size {
    FontFace face;
    double em;
};
// The theme's sizes; 9.4 is what a subscript of 13 px text needs, the most frequent one.
constexpr Size kSizes[] = {{FontFace::Regular, 9.4}, {FontFace::Regular, 12}, {FontFace::Regular, 13}, {FontFace::Regular, 15},
                           {FontFace::Regular, 19},  {FontFace::Italic, 9.4}, {FontFace::Italic, 13},  {FontFace::Italic, 15},
                           {FontFace::Italic, 19},   {FontFace::Bold, 13},    {FontFace::Bold, 15},    {FontFace::Bold, 19}};

unsigned bigEndian(FontBytes file, std::size_t at, int bytes) {
    unsigned value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | file[at + i];
    return value;
}

// stb_truetype trusts its input: at least the table directory has to be whole, and what it reads first has to be there.
bool looksLikeFont(FontBytes file) {
    if (file.size() < 12) return false;
    const unsigned version = bigEndian(file, 0, 4), tables = bigEndian(file, 4, 2);
    if ((version != 0x00010000 && version != 0x4F54544F) || file.size() < 12 + 16 * static_cast<std::size_t>(tables)) return false;
    int needed = 0;
    for (unsigned i = 0; i < tables; ++i) {
        const std::size_t entry = 12 + 16 * static_cast<std::size_t>(i);
        if (static_cast<double>(bigEndian(file, entry + 8, 4)) + bigEndian(file, entry + 12, 4) > static_cast<double>(file.size()))
            return false;
        for (const char* name : {"cmap", "head", "hhea", "hmtx", "maxp", "glyf", "CFF "}) needed += std::memcmp(&file[entry], name, 4) == 0;
    }
    return needed >= 6;
}

std::vector<unsigned char> copy(FontBytes bytes) { return {bytes.begin(), bytes.end()}; }

void addFont(const std::vector<unsigned char>& file, double em, double ratio, FontFace face, bool merge) {
    if (file.empty()) return;
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    config.MergeMode = merge;
    config.RasterizerDensity = static_cast<float>(ratio);
    // At low density glyphs stand at fractions of a pixel, which wants finer bitmaps; at high density they are put on whole ones.
    config.OversampleH = ratio < 1.9 ? 2 : 1;
    config.GlyphRanges = face == FontFace::Bold ? kRangesBold : kRanges;
    const float height = static_cast<float>(em * FontSet::kLineHeight);
    ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<unsigned char*>(file.data()), static_cast<int>(file.size()), height, &config);
}

}  // namespace

std::string FontSet::setFiles(const FontFiles& files) {
    const std::pair<const char*, FontBytes> named[] = {
        {"ui.ttf", files.ui}, {"ui-italic.ttf", files.italic}, {"ui-bold.ttf", files.bold}, {"math.ttf", files.math}};
    for (const auto& [name, bytes] : named)
        if ((!bytes.empty() || &bytes == &named[0].second) && !looksLikeFont(bytes))
            return std::string("The font file ") + name + " is not a TrueType or OpenType font.";
    ui_ = copy(files.ui), italic_ = copy(files.italic), bold_ = copy(files.bold), math_ = copy(files.math);
    changed_ = true;
    return {};
}

bool FontSet::bake(double pixelRatio) {
    const double ratio = std::isfinite(pixelRatio) ? std::clamp(pixelRatio, 0.5, 4.0) : 1;
    if (!changed_ && ratio == pixelRatio_) return false;
    ImGuiIO& io = ImGui::GetIO();
    io.Fonts->Clear();
    io.Fonts->Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight | ImFontAtlasFlags_NoBakedLines;
    baked_.clear();
    pixelRatio_ = ratio;
    changed_ = false;
    if (ui_.empty())
        baked_.push_back({FontFace::Regular, 13, io.Fonts->AddFontDefault()});
    else
        for (const Size& size : kSizes) bakeFace(size.face, size.em);
    io.Fonts->Build();
    io.FontDefault = font(FontFace::Regular, 15);
    return true;
}

void FontSet::bakeFace(FontFace face, double size) {
    const auto& main = fileOf(face);
    addFont(main, size, pixelRatio_, face, false);
    addFont(math_, size, pixelRatio_, face, true);
    if (&main != &ui_) addFont(ui_, size, pixelRatio_, face, true);
    baked_.push_back({face, size, ImGui::GetIO().Fonts->Fonts.back()});
}

const std::vector<unsigned char>& FontSet::fileOf(FontFace face) const {
    const auto& wanted = face == FontFace::Italic ? italic_ : face == FontFace::Bold ? bold_ : ui_;
    return wanted.empty() ? ui_ : wanted;
}

SizedFont FontSet::pick(FontFace face, double size) const {
    const Baked* best = nullptr;
    double bestDistance = std::numeric_limits<double>::infinity();
    for (const Baked& baked : baked_) {
        // Shrinking keeps more of a glyph than enlarging; another face is worse than any size.
        const double ratio = std::log(baked.size / std::max(size, 1e-3));
        const double distance = (ratio >= 0 ? ratio : -2 * ratio) + (baked.face == face ? 0 : 100);
        if (distance < bestDistance) best = &baked, bestDistance = distance;
    }
    return best ? SizedFont{best->font, size / best->size} : SizedFont{};
}

HeadlessFonts::HeadlessFonts(const FontFiles& files) {
    ImGuiContext* before = ImGui::GetCurrentContext();
    context_ = ImGui::CreateContext();
    ImGui::SetCurrentContext(context_);
    fonts_.setFiles(files);
    fonts_.bake(1);
    ImGui::SetCurrentContext(before);
}

HeadlessFonts::~HeadlessFonts() { ImGui::DestroyContext(context_); }

MeasureText HeadlessFonts::measure() const { return textMeasure(fonts_); }

}  // namespace kappaflow
