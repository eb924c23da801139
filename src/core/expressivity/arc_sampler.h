#pragma once
#include <cstdint>
#include <vector>

#include "core/base/rng.h"
#include "core/expressivity/curve_layer.h"

namespace kappaflow {

/// Layers that a curve goes through, the first apart: its pre-activations on an arc are an arc again, known from two products.
struct ArcLayers {
    CurveLayer first;
    std::vector<CurveLayer> rest;
};
/// Hidden layers of a dense network, without the output layer; throws what `curveLayers` throws, and when there is no hidden layer.
ArcLayers arcLayers(const Network&);

/// How an arc is sampled: in each of `strata` equal parts of t one window, halved (either half at random) until its image has no more
/// than `pieces` pieces in any layer.
struct ArcSampling {
    std::size_t strata = 16;
    double pieces = 40;
};

/// Layer 0 is the arc itself, exact.
struct ArcImages {
    std::vector<double> length;       ///< ∫ |dz/dt| dt of the activations
    std::vector<double> transitions;  ///< units of the layer changing their linear piece; of layer 0 none
};

/// Length and transitions of the images of cos t·x0 + sin t·x1, t from 0 to π/2. What is in a window is exact, and counts 2ʰ times where
/// h halvings led to it, so that both are unbiased at any depth; an arc of few pieces is exact altogether. The same Rng puts windows at
/// the same places, so that networks of neighbouring training steps are compared along the same stretches.
/// Cost: strata × (1 … 2) × Σ_l pieces of a window × 3·in·out multiply-adds, and 2·in·out for the first layer.
class ArcSampler {
public:
    /// `layers` must outlive the sampler, x0 and x1 have as many entries as it has inputs (asserted).
    ArcSampler(const ArcLayers& layers, std::vector<double> x0, std::vector<double> x1, ArcSampling, Rng);

    /// The next stratum; false when none is left.
    bool advance();
    ArcImages images() const { return images_; }

private:
    bool follow(double from, double to, double weight);

    const ArcLayers& layers_;
    ArcSampling sampling_;
    Rng rng_;
    std::vector<double> preactivations_;  ///< p, q, r of the first layer's units
    std::size_t stratum_ = 0;
    int halvings_ = 0;  ///< where the next stratum begins
    ArcImages images_;
};

}  // namespace kappaflow
