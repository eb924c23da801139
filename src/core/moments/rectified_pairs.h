#pragma once

namespace kappaflow {

// Expectations over a pair (u, v) of standard normal numbers with correlation cos θ: what a random unit makes of two inputs with the
// angle θ between them. The cosine is clamped to [−1, 1].

/// P(u > 0, v > 0) = (π − θ)/2π.
double bothPositive(double cosine);
/// E[u⁺² v⁺²] = (3 sin θ cos θ + (π − θ)(1 + 2 cos² θ))/2π (arc-cosine kernel of degree 2; Cho and Saul 2009): 3/2 at θ = 0, 0 at π.
double rectifiedSquares(double cosine);
/// E[u⁺ v⁻] = (sin θ − θ cos θ)/2π: 0 at θ = 0, 1/2 at π.
double oppositeParts(double cosine);

}  // namespace kappaflow
