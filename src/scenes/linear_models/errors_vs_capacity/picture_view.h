#pragma once
#include "scenes/picture_support.h"

namespace kappaflow::errors_vs_capacity {

/// Lags or components, averaged over the draws counted.
struct Side {
    const Array *bounds, *errors, *running;  ///< [draw, ·], [draw, ·], [draw]
    std::vector<double> bound, boundStd, error, errorStd;
    std::vector<double> x;
    double most = 0;  ///< largest value that the plot has to hold, whatever is counted
};

struct View {
    Side lags, components;
    const Array* optimality;
    double counted = 1;  ///< draws, with the share of one that is gliding in
    std::size_t draws = 1;
    std::size_t newest() const { return static_cast<std::size_t>(counted + 0.999) - 1; }
    double correlation(const Side& side) const { return side.running->values[static_cast<std::size_t>(counted + 0.5) - 1]; }
};
bool readView(const PictureFrame&, View&);

Color boundColor(const PictureFrame&);
inline Color errorColor(const PictureFrame& f) { return f.theme.series[1]; }

/// "r = 0.88".
std::string correlationText(double);

void drawProfiles(PictureFrame&, const View&, const Side&, bool lags, Rect);
/// A point for every lag and every component: error against bound.
void drawScatter(PictureFrame&, const View&, Rect);
/// Correlations against the number of draws, with the knob that counts them.
void drawCorrelations(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::errors_vs_capacity
