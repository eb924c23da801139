#pragma once
#include "scenes/capacity_flow/capacity_diffusion/model_theory.h"

namespace kappaflow::diffusion {

/// A report being put together: fills in what the declaration says about a field.
class Builder {
public:
    Builder(const Setup& setup, const Chain& chain, const Totals& totals) : setup(setup), chain(chain), totals(totals) {}

    Array& add(const std::string& name, std::vector<Axis> axes, std::vector<double> values);
    Scalar& add(const std::string& name, double value);

    Axis layers() const;
    Axis weightLayers() const;
    /// [layer, position], in a plane [layer, y, x].
    std::vector<Axis> everywhere() const;
    /// The given axis, in a plane with rows and columns apart: [.., axis].
    std::vector<Axis> byAxis(Axis) const;
    bool plane() const { return chain.shape().plane; }
    double draws() const { return totals.capacity.count(); }

    const Setup& setup;
    const Chain& chain;
    const Totals& totals;
    Report report;
};

/// 0, 1, … n − 1, from `first` on.
std::vector<double> counted(std::size_t n, double first = 0);

// Parts of the report.

/// Mean, variance and width of the offset from the top, and how far centres wander.
void addMoments(Builder&);
/// What the kernels predict, and the Gaussian, [layer, position] or empty.
void addTheory(Builder&, const std::vector<double>& gaussian);
/// Files in a plane: the straight line through the variance against layers crossed.
void addFit(Builder&);

}  // namespace kappaflow::diffusion
