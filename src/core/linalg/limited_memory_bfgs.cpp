#include "core/linalg/limited_memory_bfgs.h"

#include <cmath>
#include <utility>

#include "core/linalg/householder.h"
#include "core/linalg/lbfgs_line_search.h"

namespace kappaflow {
namespace {

using Vector = std::vector<double>;

void addScaled(Vector& y, const Vector& x, double scale) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += scale * x[i];
}

void subtract(const Vector& a, const Vector& b, Vector& difference) {
    difference.resize(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
}

void negate(const Vector& x, Vector& negative) {
    negative.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) negative[i] = -x[i];
}

}  // namespace

LimitedMemoryBfgs::LimitedMemoryBfgs(Vector start, Objective objective, std::size_t corrections)
    : objective_(std::move(objective)), x_(std::move(start)), gradient_(x_.size()), limit_(corrections) {
    value_ = objective_(x_, gradient_);
    evaluations_ = 1;
    negate(gradient_, direction_);
    const double norm = std::sqrt(orderedDot(gradient_, gradient_));
    failed_ = !(norm > 0);
    step_ = failed_ ? 0 : 1 / norm;
}

bool LimitedMemoryBfgs::step() {
    if (failed_) return false;
    previous_ = x_;
    previousGradient_ = gradient_;
    const double before = value_;
    if (!search()) {
        x_ = previous_;
        gradient_ = previousGradient_;
        value_ = before;
        failed_ = true;
        return false;
    }
    ++iterations_;
    failed_ = !(orderedDot(gradient_, gradient_) > 0);
    if (failed_) return false;
    remember();
    findDirection();
    step_ = 1;
    return true;
}

bool LimitedMemoryBfgs::search() {
    // The library moves x_ and gradient_ in place and hands them back at every evaluation.
    const auto evaluate = [](void* self, const double*, double*, int, double) {
        auto& owner = *static_cast<LimitedMemoryBfgs*>(self);
        ++owner.evaluations_;
        return owner.objective_(owner.x_, owner.gradient_);
    };
    const int outcome = kappaflowMoreThuente(static_cast<int>(x_.size()), x_.data(), &value_, gradient_.data(), direction_.data(), &step_,
                                             previous_.data(), previousGradient_.data(), nullptr, evaluate, this);
    return outcome > 0 && std::isfinite(value_);
}

void LimitedMemoryBfgs::remember() {
    if (corrections_.size() < limit_) {
        newest_ = corrections_.size();
        corrections_.emplace_back();
    } else {
        newest_ = (newest_ + 1) % limit_;
    }
    Correction& c = corrections_[newest_];
    subtract(x_, previous_, c.s);
    subtract(gradient_, previousGradient_, c.y);
    c.sy = orderedDot(c.s, c.y);
}

void LimitedMemoryBfgs::findDirection() {
    // The two loops of Nocedal, Updating quasi-Newton matrices with limited storage, Math. Comp. 35, 1980, p. 779.
    const std::size_t kept = corrections_.size();
    negate(gradient_, direction_);
    for (std::size_t age = 0; age < kept; ++age) {
        Correction& c = corrections_[(newest_ + kept - age) % kept];
        c.alpha = orderedDot(c.s, direction_) / c.sy;
        addScaled(direction_, c.y, -c.alpha);
    }
    const Correction& last = corrections_[newest_];
    const double scale = last.sy / orderedDot(last.y, last.y);
    for (double& d : direction_) d *= scale;
    for (std::size_t age = kept; age-- > 0;) {
        const Correction& c = corrections_[(newest_ + kept - age) % kept];
        addScaled(direction_, c.s, c.alpha - orderedDot(c.y, direction_) / c.sy);
    }
}

}  // namespace kappaflow
