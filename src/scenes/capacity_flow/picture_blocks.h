#pragma once
#include <string>

#include "scenes/picture.h"

namespace kappaflow::capacity_flow {

// Σ̃ as m × m blocks of n × n cells in a square, in signed colours.

struct Blocks {
    std::string id, title, foot;  ///< one line above and one below the square, cut to its width
    std::span<const double> values;
    std::size_t inputs = 1, copies = 1;
    double reach = 1;             ///< at the ends of the colours
    const char* of = "mean of ";  ///< says what an entry is
};
/// Height of the lines above and below the square together.
double blockLines(const PictureFrame&, bool foot);
/// `at`: left upper corner of the title's line.
void drawBlocks(PictureFrame&, const Blocks&, Vec2 at, double side);
/// Names and value of the entry under the pointer: "*η*_{1}*y*_{2} · *η*_{3}*y*_{1}".
void readOffBlocks(PictureFrame&, std::span<const double> values, std::size_t inputs, Rect square, const std::string& of = "mean of ");
/// The colour bar at the right of a square, and the width it takes.
inline constexpr double kBlockBar = 58;
void drawBlockBar(PictureFrame&, const std::string& id, Rect square, double reach = 1);

/// Numbers on their way from an earlier result to the newest, so that what they place glides instead of jumping. While the reader
/// drags, under reduced motion, and in kept figures they are there at once.
class Glide {
public:
    const std::vector<double>& towards(PictureFrame&, std::vector<double> target);

private:
    std::vector<double> from_, target_, shown_;
    double since_ = -1;
};

}  // namespace kappaflow::capacity_flow
