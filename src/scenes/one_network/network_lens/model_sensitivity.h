#pragma once
#include <optional>

#include "core/moments/network_moments.h"
#include "scenes/one_network/network_lens/model_lens.h"

namespace kappaflow::lens {

/// Whether a layer's activation is the pseudo-random sign, which hangs on the last bit of what it reads.
bool isPseudoRandom(const std::vector<Layer>&);

/// Normalised sensitivity and effective ranks over the samples, with a random noise beside each.
class SensitivityLens final : public Lens {
public:
    void start(const Setup&, const Network&, double work) override;
    bool step() override;
    void addTo(FilledReport&) const override;

private:
    const Network* network_ = nullptr;
    std::optional<NetworkMoments> moments_;
    std::size_t samples_ = 0;
};

}  // namespace kappaflow::lens
