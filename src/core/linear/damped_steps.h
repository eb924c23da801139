#pragma once
#include <vector>

#include "core/linalg/matrix.h"

namespace kappaflow {

/// Residual and Jacobian of a least-squares problem in an orthonormal basis of what the Jacobian reaches. The rest of the residual,
/// which no step changes, is left out: at an optimum it is all there is, and its rounding would drown the step.
struct Linearised {
    Matrix jacobian;               ///< [rank][unknowns]
    std::vector<double> residual;  ///< [rank]
};
Linearised linearise(const Matrix& jacobian, const std::vector<double>& residual);

/// The δ of least ‖r + Jδ‖² + damping·‖δ‖²: δ = −Jᵀ(JJᵀ + damping·I)⁻¹ r, by a QR decomposition of (Jᵀ; √damping·I), which does not
/// square the condition number. Without damping the shortest of the least-squares solutions. Cost: 2·(unknowns + rank)·rank².
std::vector<double> dampedStep(const Linearised&, double damping);

/// How far rounding of the response alone moves a loss (A − A*)ᵀΣ(A − A*), rounding by itself giving a loss of `floor`.
double lossNoise(double loss, double floor);

/// A least-squares problem at the values of its unknowns reached so far.
class LeastSquares {
public:
    virtual ~LeastSquares() = default;
    virtual Linearised linearised() = 0;
    virtual double lossAt(const std::vector<double>& values) = 0;
    virtual void moveTo(std::vector<double> values) = 0;

    std::vector<double> values;
    double loss = 0;
};

/// Levenberg and Marquardt's iteration with Nielsen's rule for the damping (Madsen, Nielsen and Tingleff, Methods for non-linear
/// least squares problems, 2004).
class DampedSteps {
public:
    /// Lowers the loss; false when no step does any more, to rounding, or the loss is at most `floor`.
    bool step(LeastSquares&, double floor);

private:
    bool attempt(LeastSquares&, const Linearised& here, double floor);
    double damping_ = -1, growth_ = 2, largestSlope_ = 0, leastReach_ = 1e300;
    int stalls_ = 0;
};

}  // namespace kappaflow
