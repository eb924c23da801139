#pragma once
#include <cstdint>
#include <vector>

#include "core/expressivity/curve_layer.h"

namespace kappaflow {

/// Every unit's state where the last piece ended; empty before the first.
struct CurveStates {
    std::vector<std::int8_t> linear, sign;
};

/// Cuts pre-activations at the thresholds of an activation, piece after piece, carrying every unit's state over the borders.
class CurveCut {
public:
    CurveCut(const LinearPieces& activation, CurveStates& states, CurveImage& image)
        : activation_(activation), states_(states), image_(image) {}

    /// Appends the image of piece i of `h`; `crossed` says whether its left border is a unit's change of state in an earlier layer.
    void append(const CurvePieces& h, std::size_t i, bool crossed);

private:
    void measure(const CurvePieces& h, std::size_t i);
    void scan(const CurvePieces& h, std::size_t i, const std::vector<double>& thresholds, std::vector<std::int8_t>& last);
    void scanUnit(const CurvePieces& h, std::size_t i, std::size_t unit, const std::vector<double>& thresholds);
    void snapTogether();
    void appendPieces(const CurvePieces& h, std::size_t i, bool crossed);
    void openPiece(double end, bool crossed, bool copyLast);
    void fill(double* piece, const double* h, std::size_t unit, std::size_t units, int state) const;

    const LinearPieces& activation_;
    CurveStates& states_;
    CurveImage& image_;
    std::vector<double> atStart_, atEnd_, sag_;  ///< of each unit: h at both ends, how far h may leave the straight line between them
    std::vector<std::int8_t> first_, last_;      ///< states where the piece begins and ends
    std::vector<CurveTransition> inside_;        ///< found in the piece, t ascending after the scan
};

}  // namespace kappaflow
