#pragma once
#include <cmath>

namespace kappaflow::signal_and_noise {

/// What a layer does to noise: −1 reduces, 0 neither, 1 amplifies. χ to three digits decides, in words and pictures alike; undefined χ: 0.
inline int effectOf(double chi) { return std::abs(chi - 1) < 1e-3 || std::isnan(chi) ? 0 : chi < 1 ? -1 : 1; }

/// Ratios of signal to noise beyond this are rounding.
inline constexpr double kMostDecibels = 200;

}  // namespace kappaflow::signal_and_noise
