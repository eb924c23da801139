#pragma once
#include "scenes/capacity_flow/capacity_diffusion/model_totals.h"

namespace kappaflow::diffusion {

/// Mean squared gradient of one network's chosen top units (P1 5), sample by sample.
class GradientRun {
public:
    GradientRun(const Setup&, const Chain&, std::uint64_t draw);
    /// One more Gaussian input.
    void sample();
    /// Rows by position scaled to a total of 1 (NaN where every gradient vanishes) into `totals`, with the standard error of a ratio:
    /// that of g_i − r_i T over T, where r_i is the share of position i in the row's total T.
    void finish(Totals&) const;
    double samples() const { return mean_.count(); }

private:
    void addComoments(const std::vector<double>& rows);

    const Setup& setup_;
    std::uint64_t draw_;
    std::shared_ptr<const Network> network_;
    std::vector<std::size_t> states_;
    std::vector<std::size_t> positions_, first_;  ///< [layer]; first_: where the layer begins in a row of all
    std::vector<double> top_;
    EnsembleMean mean_, total_;      ///< of all layers' positions one after another, and of their totals [layer]
    std::vector<double> comoments_;  ///< Σ (g_i − mean)(T − mean) over the samples
};

}  // namespace kappaflow::diffusion
