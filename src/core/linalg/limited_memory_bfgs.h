#pragma once
#include <functional>
#include <vector>

namespace kappaflow {

/// Minimisation of a smooth function of many variables by the limited-memory BFGS method (Liu and Nocedal, On the limited memory BFGS
/// method for large scale optimization, Math. Programming 45, 1989) with the line search of liblbfgs, one iteration a call: iterates
/// are those of the library's own loop (a test compares them), which cannot be left and taken up again. + - * / sqrt in a fixed order:
/// the same bits on every platform when the objective has them. Memory: 2·corrections + 5 vectors.
class LimitedMemoryBfgs {
public:
    /// The value at x; fills the gradient, which is as long as x. Must not throw.
    using Objective = std::function<double(const std::vector<double>& x, std::vector<double>& gradient)>;
    /// Evaluates the objective once. `corrections`: pairs (s, y) kept, at least 1.
    LimitedMemoryBfgs(std::vector<double> start, Objective objective, std::size_t corrections = 10);

    /// One iteration: a search direction and a line search. False when it made no headway: the gradient is 0, or rounding hides any
    /// further decrease; the point is then the best one met. Cost: one or two evaluations and 4·corrections + 10 multiply-adds a variable.
    bool step();

    const std::vector<double>& point() const { return x_; }
    double value() const { return value_; }
    const std::vector<double>& gradient() const { return gradient_; }
    int iterations() const { return iterations_; }
    int evaluations() const { return evaluations_; }

private:
    struct Correction {
        std::vector<double> s, y;
        double sy = 0, alpha = 0;
    };
    bool search();
    void remember();
    void findDirection();

    Objective objective_;
    std::vector<double> x_, gradient_, direction_, previous_, previousGradient_;
    std::vector<Correction> corrections_;
    std::size_t limit_, newest_ = 0;
    double value_ = 0, step_ = 1;
    int iterations_ = 0, evaluations_ = 0;
    bool failed_ = false;
};

}  // namespace kappaflow
