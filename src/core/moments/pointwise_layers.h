#pragma once
#include <string>
#include <vector>

#include "core/moments/moment_net.h"
#include "core/moments/point_values.h"

namespace kappaflow {

/// z = (y − ν₁)/√(μ₂ + ε) channel by channel, dz = dy/√(μ₂ + ε): the statistics, over samples and positions, are constants (P3 Eq. 10).
/// `moments` are the signal's.
void batchNormalise(SignalAndNoise&, const ChannelMoments& moments, double epsilon);

/// x = φ(y), dx = φ'(y)·dy, φ'(0) = 0 for the ReLU (P3 Eqs 1–2).
void activatePoints(SignalAndNoise&, Activation);

/// Scales the noise to mean square 1 and carries the logarithm, as the paper's program does; `square` is its mean square.
void renormaliseNoise(SignalAndNoise&, double square);

/// Share of (channel, point) pairs whose sign is the one that most points have in that channel, positive or not: 1 when every ReLU is
/// always on or always off (Theorem 2's coactivation).
double coactivation(const PointValues& preactivations);

/// E_c[μ_{2,c}(dy)/(μ_{2,c}(y) + ε)]: what batch norm leaves of the noise, over μ₂(dy)/μ₂(y) the square of Theorem 3's first term.
double normalisedNoise(const PointValues& noise, const ChannelMoments& signal, double epsilon);

/// Of every channel.
std::vector<double> channelSquares(const PointValues&);

}  // namespace kappaflow
