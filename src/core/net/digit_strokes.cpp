#include "core/net/digit_strokes.h"

#include <cassert>

namespace kappaflow {
namespace {

std::vector<DigitStrokes> roundDigits(int digit) {
    switch (digit) {
        case 0:
            return {{{{.5, .02}, {.27, .12}, {.17, .5}, {.27, .88}, {.5, .98}, {.73, .88}, {.83, .5}, {.73, .12}, {.5, .02}}},
                    {{{.62, .06}, {.35, .1}, {.22, .45}, {.3, .85}, {.52, .97}, {.74, .8}, {.78, .4}, {.65, .1}, {.42, .03}}}};
        case 3:
            return {{{{.2, .14},
                      {.42, 0},
                      {.7, .08},
                      {.74, .3},
                      {.56, .45},
                      {.42, .48},
                      {.42, .48},
                      {.62, .52},
                      {.8, .7},
                      {.7, .93},
                      {.42, 1},
                      {.18, .86}}},
                    {{{.2, .03}, {.76, .03}, {.76, .03}, {.45, .4}, {.45, .4}, {.72, .5}, {.8, .72}, {.66, .94}, {.4, 1}, {.17, .87}}}};
        case 6:
            return {{{{.68, .04}, {.4, .2}, {.22, .5}, {.2, .78}, {.36, .98}, {.6, .98}, {.78, .8}, {.7, .58}, {.46, .54}, {.24, .7}}},
                    {{{.5, 0}, {.3, .35}, {.2, .72}, {.34, .96}, {.6, .97}, {.74, .78}, {.6, .6}, {.36, .64}, {.22, .8}}}};
        case 8:
            return {{{{.72, .14},
                      {.5, 0},
                      {.28, .14},
                      {.34, .36},
                      {.64, .58},
                      {.78, .8},
                      {.5, 1},
                      {.22, .8},
                      {.36, .58},
                      {.66, .36},
                      {.72, .14}}},
                    {{{.5, 0}, {.28, .12}, {.28, .34}, {.5, .46}, {.72, .34}, {.72, .12}, {.5, 0}},
                     {{.5, .46}, {.22, .6}, {.2, .86}, {.5, 1}, {.8, .86}, {.78, .6}, {.5, .46}}}};
        default:
            return {{{{.76, .22}, {.58, .02}, {.32, .06}, {.22, .3}, {.36, .5}, {.62, .46}, {.76, .22}, {.76, .22}, {.72, .6}, {.62, 1}}},
                    {{{.76, .22},
                      {.58, .02},
                      {.32, .06},
                      {.22, .3},
                      {.36, .5},
                      {.62, .46},
                      {.76, .22},
                      {.76, .22},
                      {.78, .6},
                      {.68, .9},
                      {.45, 1},
                      {.24, .92}}}};
    }
}

std::vector<DigitStrokes> straightDigits(int digit) {
    switch (digit) {
        case 1:
            return {{{{.52, 0}, {.48, 1}}},
                    {{{.3, .24}, {.52, .02}, {.52, .02}, {.52, 1}}},
                    {{{.3, .24}, {.52, .02}, {.52, .02}, {.52, .98}}, {{.28, .98}, {.76, .98}}}};
        case 2:
            return {{{{.2, .28}, {.3, .06}, {.55, 0}, {.78, .14}, {.74, .4}, {.48, .7}, {.18, .97}, {.18, .97}, {.85, .97}}},
                    {{{.2, .25},
                      {.35, .04},
                      {.62, .04},
                      {.78, .25},
                      {.6, .6},
                      {.32, .92},
                      {.18, .9},
                      {.22, .78},
                      {.42, .84},
                      {.62, .96},
                      {.86, .9}}}};
        case 4:
            return {{{{.62, .02}, {.15, .66}, {.15, .66}, {.88, .66}}, {{.62, .02}, {.62, 1}}},
                    {{{.3, .03}, {.2, .36}, {.28, .54}, {.52, .56}, {.8, .5}}, {{.76, .05}, {.7, 1}}}};
        case 5:
            return {{{{.78, .03},
                      {.3, .03},
                      {.3, .03},
                      {.24, .44},
                      {.24, .44},
                      {.5, .38},
                      {.78, .5},
                      {.8, .76},
                      {.6, .97},
                      {.34, .99},
                      {.15, .86}}},
                    {{{.75, .06}, {.36, .04}, {.28, .3}, {.36, .45}, {.62, .5}, {.76, .7}, {.62, .94}, {.2, .96}}}};
        default:
            return {{{{.16, .05}, {.82, .05}, {.82, .05}, {.5, .5}, {.36, 1}}},
                    {{{.16, .05}, {.82, .05}, {.82, .05}, {.5, .5}, {.36, 1}}, {{.28, .5}, {.72, .5}}},
                    {{{.16, .2}, {.18, .04}, {.18, .04}, {.82, .05}, {.82, .05}, {.45, .98}}}};
    }
}

}  // namespace

std::vector<DigitStrokes> waysToWrite(int digit) {
    assert(digit >= 0 && digit <= 9);
    const bool round = digit == 0 || digit == 3 || digit == 6 || digit == 8 || digit == 9;
    return round ? roundDigits(digit) : straightDigits(digit);
}

std::vector<Vec2> smoothLine(const Stroke& stroke, int pieces) {
    assert(stroke.size() >= 2 && pieces >= 1);
    const std::size_t last = stroke.size() - 1;
    const bool closed = stroke.front().x == stroke.back().x && stroke.front().y == stroke.back().y;
    const auto tangent = [&](std::size_t i) {
        const Vec2 before = i > 0 ? stroke[i - 1] : closed ? stroke[last - 1] : stroke[0];
        const Vec2 after = i < last ? stroke[i + 1] : closed ? stroke[1] : stroke[last];
        return (after - before) * 0.5;
    };
    std::vector<Vec2> line{stroke.front()};
    for (std::size_t i = 0; i < last; ++i) {
        const Vec2 from = stroke[i], to = stroke[i + 1], leaving = tangent(i), arriving = tangent(i + 1);
        if (from.x == to.x && from.y == to.y) continue;
        for (int k = 1; k <= pieces; ++k) {
            const double t = static_cast<double>(k) / pieces, u = 1 - t;
            line.push_back(from * (u * u * (1 + 2 * t)) + leaving * (u * u * t) + to * (t * t * (3 - 2 * t)) - arriving * (t * t * u));
        }
    }
    return line;
}

}  // namespace kappaflow
