#pragma once
#include <memory>

#include "draw/fonts.h"
#include "draw/markup.h"

struct ImGuiContext;

namespace kappaflow {

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
