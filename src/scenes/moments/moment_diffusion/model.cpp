#include "scenes/moments/model_nets.h"
#include "scenes/moments/moment_diffusion/model_report.h"

namespace kappaflow {
namespace {

using namespace moment_diffusion;

constexpr double kSlice = 6e6;                  ///< operations between two looks at the clock
constexpr double kOperationsPerSecond = 1.6e9;  ///< measured: small products and gaussians

class DiffusionComputation final : public Computation {
public:
    explicit DiffusionComputation(const Request& request) : setup_(readSetup(request.params)), networks_(setup_.plan, setup_.draws) {}

    bool step() override { return networks_.advance(kSlice); }
    double progress() const override { return networks_.progress(); }
    Report report() const override { return makeReport(setup_, networks_, networks_.draws() == setup_.draws); }

private:
    Setup setup_;
    MomentDiffusion networks_;
};

Cost costOf(const Request& request) {
    const WalkPlan plan = planOf(request.params);
    const auto count = static_cast<std::size_t>(request.params.integer("draws"));
    const double draws = static_cast<double>(count), L = static_cast<double>(plan.layers), N = static_cast<double>(plan.width);
    const double theory = 2e5 * L, report = 100 * draws * L;
    // A stem reads images of 32 × 32 × 3 colours into every unit, signal and noise.
    const double stem = plan.data == MomentData::Images ? draws * N * 3072 * (20 + 4 * static_cast<double>(plan.samples)) : 0;
    const double networks = (MomentDiffusion::operations(plan, count) + stem) * 1e9 / kOperationsPerSecond;
    return {networks + theory + report + 1e6, MomentDiffusion::bytes(plan, count) + 8 * draws + 3000 * L + 4e6};
}

std::string costliestOf(const Request& request) { return random_nets::costliestParam(request, costOf); }

std::unique_ptr<Computation> startDiffusion(const Request& request) { return std::make_unique<DiffusionComputation>(request); }

}  // namespace

Model moment_diffusion_model() { return {"moment-diffusion", costOf, costliestOf, startDiffusion}; }

}  // namespace kappaflow
