#include "scenes/linear_models/model_weights.h"

namespace kappaflow::linear {

std::vector<ReportLayer> printedLayers(const HierarchicalModel& model, const std::vector<double>& weights) {
    const HierarchicalShape& shape = model.shape();
    std::vector<ReportLayer> layers;
    for (std::size_t l = 1; l <= shape.layers(); ++l) {
        const auto in = static_cast<std::size_t>(shape.channels[l - 1]), out = static_cast<std::size_t>(shape.channels[l]),
                   taps = static_cast<std::size_t>(shape.taps[l - 1]);
        layers.push_back({"convolution", {out, in, taps}, {}, {}});
        for (std::size_t o = 0; o < out; ++o)
            for (std::size_t i = 0; i < in; ++i)
                for (std::size_t k = 0; k < taps; ++k) layers.back().weights.push_back(weights[model.weightIndex(l, k, o, i)]);
    }
    return layers;
}

}  // namespace kappaflow::linear
