#pragma once
#include <memory>

#include "scene/scene.h"

namespace kappaflow {

/// A running request, cut into slices so that it can run in a thread, a worker or between two frames alike.
class Computation {
public:
    virtual ~Computation() = default;
    /// Does the next slice (aim: a few milliseconds); false when nothing is left. Throws InputError.
    virtual bool step() = 0;
    /// 0 … 1, never falling.
    virtual double progress() const = 0;
    /// The result so far: status Partial until the last step, then Ok.
    virtual Report report() const = 0;
    /// Whether the next request of the scene may begin with what this one has: its model can resume.
    virtual bool reusable() const { return false; }
    /// The network that a finished report is about, with its weights, for a file; null where there is none.
    virtual std::shared_ptr<const Network> network() const { return nullptr; }
};

/// What a scene whose computation is written in steps consists of.
struct StepwiseModel {
    Cost (*cost)(const Request&);
    std::string (*costliest)(const Request&);
    std::unique_ptr<Computation> (*start)(const Request&);
    /// The same from the computation that this model made last (never null, perhaps stopped half way): takes over what still holds. The
    /// report is that of `start`, to the bit. Null: always anew.
    std::unique_ptr<Computation> (*resume)(const Request&, std::unique_ptr<Computation> previous);
};
std::unique_ptr<OpenRequest> openStepwise(const StepwiseModel&, const Request&);

template <auto cost, auto costliest, auto start, auto resume = nullptr>
Model stepwise(std::string_view scene) {
    return {scene, [](const Request& request) { return openStepwise({cost, costliest, start, resume}, request); }};
}

}  // namespace kappaflow
