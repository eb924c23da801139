#pragma once
#include <functional>
#include <utility>

#include "core/base/errors.h"
#include "scene/scene.h"

namespace kappaflow {

/// Computes a request and looks at every unfinished result it offers, or breaks it off.
class Following final : public Progress {
public:
    using Look = std::function<void(const Report&, double progress)>;
    explicit Following(Look look = nullptr, Leftovers* leftovers = nullptr) : Progress(leftovers), look_(std::move(look)) {}

    int ticksAllowed = -1;  ///< breaks off at the next tick; below 0: never
    mutable int ticks = 0;
    double rarest = 0;  ///< share of the way between two results that are looked at, at least
    double reached() const { return told(); }

private:
    bool stopped() const override { return ++ticks > ticksAllowed && ticksAllowed >= 0; }
    bool wantsPartial() override { return look_ && told() >= looked_ + rarest; }
    void publish(Report report) override { look_(report, looked_ = told()); }
    Look look_;
    double looked_ = -1;
};

inline Report follow(const Request& request, Following::Look look) {
    Following following(std::move(look));
    return runRequest(request, following);
}
/// Begins with what the last request left.
inline Report runAfter(const Request& request, Leftovers& leftovers) {
    Following following(nullptr, &leftovers);
    return runRequest(request, following);
}
/// Breaks the computation off after so many ticks; what it leaves is for the next.
inline void breakOff(const Request& request, Leftovers& leftovers, int ticks) {
    Following following(nullptr, &leftovers);
    following.ticksAllowed = ticks;
    try {
        runRequest(request, following);
    } catch (const Cancelled&) {
    }
}
/// However dear.
inline Cost costOf(const Request& request) { return openRequest(request, {1e300, 1e300})->cost(); }

}  // namespace kappaflow
