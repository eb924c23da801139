#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/cost.h"
#include "core/moments/layer_moments.h"
#include "core/moments/moment_data.h"
#include "core/moments/moment_net.h"
#include "core/net/layer_tangents.h"

namespace kappaflow {

// How a state of a given network is taken as points with features: every position of a grid that convolutions or pools make or read is a
// point, and its channels are the features; what dense layers make or read has one point a sample, and its units are the features.

/// Variances below this share of the second moment are rounding, as in moment_propagation.cpp.
inline constexpr double kRoundingOfVariance = 1e-24;

/// Of every state, whether its positions are points.
std::vector<bool> statesOnGrid(const Network&);
/// [sample, position][channel] as a network takes it, [channel, position][sample].
Batch batchOf(const PointValues&);
/// Points that a sample gives.
std::size_t cellsPerSample(const Shape&, bool onGrid);
/// One row a point; every position stands for a sample of its own.
PointValues pointsOf(const Batch&, const Shape&, bool onGrid);
/// log of χ of a state whose units are features over χ of the same state whose positions are points: ½ log of their μ₂, grid over vector.
/// Undefined where either is rounding.
double logReadings(const Batch&, const Shape&);

/// Signal and noise of one state of a given network: layer 0 is the input, layer l what comes out of top-level layer l. Undefined numbers
/// are NaN. Its points and features are those of network_moments.h. A layer between a grid and a vector, as a flattening, is judged by both
/// its states as vectors, and χ goes on from there: what changes no number changes no χ. Ranks and variances are of each state's own
/// points.
struct StateMoments {
    std::size_t layer = 0, points = 0, features = 0;
    bool afterActivation = false;
    double logNu2 = kUndefined, logMu2 = kUndefined;         ///< natural logarithms, of the signal
    double logMu2Noise = kUndefined;                         ///< of the noise's mean square, its scale included
    double logChi = kUndefined;                              ///< χ^l = (μ₂(dx^l)/μ₂(x^l))^½ over that of the input (P3 Eq. 3)
    double varianceRatio = kUndefined;                       ///< μ₂/ν₂ of the signal; → 0: zero-dimensional
    double rankSignal = kUndefined, rankNoise = kUndefined;  ///< effective ranks, both centred
    double coactivation = kUndefined;                        ///< of what an activation read, where one came before: see `coactivation`
    std::string undefined;                                   ///< why there is no χ, in one sentence; empty where there is one

    double chi() const { return std::exp(logChi); }
};

/// N(0, 1) for every number of the input, [units][samples]; stream (seed, MonteCarlo, draw·2³² + sample), as the noise of
/// drawMomentInput. `draw` and `samples` are below 2³².
Batch drawInputNoise(std::size_t units, std::size_t samples, std::uint64_t seed, std::uint64_t draw = 0);

/// Propagates a batch of inputs and a noise beside each through a given network to first order, one top-level layer a step: derivatives at
/// the signal, batch norm with its stored statistics, the noise renormalised after every layer with its logarithm carried. A state that is
/// dead or constant leaves its χ undefined and says why, and propagation goes on; beyond the range of numbers every state is undefined.
/// The same bits on every platform. (P3 Eqs 1–3 and Section 2, for any network.)
class NetworkMoments {
public:
    /// The network must outlive this. Throws InputError when it is not valid or has no weights, when signal and noise are not
    /// [its input units][the same samples >= 1], hold a number that is not finite, or when the signal is constant or the noise zero.
    /// `places`: what the states are called in sentences; empty: "the input", "layer 1", …
    NetworkMoments(const Network&, Batch signal, Batch noise, bool ranks = true, std::vector<std::string> places = {});

    /// One layer; false when the last one is through. Calls `tick` every 10 ms or so, between samples that do not depend on one another.
    bool step(const std::function<void()>& tick = [] {});
    std::size_t layersDone() const { return states_.size() - 1; }
    const std::vector<StateMoments>& states() const { return states_; }  ///< [0] the input, then as far as `step` came
    /// Signal and noise of the last of them, [unit][sample]; the noise is renormalised.
    const Batch& signal() const { return now_.values; }
    const Batch& noise() const { return now_.tangents; }
    /// The noise is `noise`·exp(logScale).
    double logScale() const { return logScale_; }
    /// Both as points [point][feature], sample-major.
    SignalAndNoise points() const;
    /// Of the first samples, at most so many, the point of each that lies in the middle of the grid.
    std::vector<std::size_t> middles(std::size_t most) const;

private:
    StateMoments measure();
    double noiseSize() const;
    std::string placeOf(std::size_t state) const;
    void renormalise();
    /// χ of the states behind goes on from this one's, read as a vector from here on (sign −1) or up to here (1).
    void carryAcross(std::size_t state, double sign);

    const Network& network_;
    std::vector<bool> onGrid_;  ///< of every state: its positions are points
    bool ranks_;
    std::vector<std::string> places_;
    ValuesAndTangents now_;
    double logScale_ = 0;
    double logChiRaw0_ = 0;  ///< where χ is 1, as states are read now
    std::vector<StateMoments> states_;
    std::string ended_;      ///< why nothing more can be told
    std::string uncarried_;  ///< why no χ went on across a change of reading
};

/// Operations at 1e9 a second, and bytes while it runs, the network's own left out.
Cost costOfNetworkMoments(const Network&, double samples, bool ranks = true);

/// Signal and noise that a given network takes, both [input unit][sample].
struct NetworkInput {
    Batch signal, noise;
};

/// Points of the data of P3's networks in the shape of a given network's input, without a stem; a grid's positions are drawn as those of a
/// convolutional net, with its channels. Images, made here or a reader's, need a square grid, a line, or so many units as a square image
/// has, of one colour or three: colours are averaged for one channel, one colour is repeated for three, and channels are standardised.
/// Noise: drawInputNoise. Sample s hangs on seed, draw and s alone, but for the standardisation. Throws InputError when the input has
/// another shape, or for what drawMomentInput refuses.
NetworkInput drawNetworkInput(const Network&, MomentData, std::size_t samples, std::uint64_t seed, std::uint64_t draw,
                              const ImageSet* = nullptr);

}  // namespace kappaflow
