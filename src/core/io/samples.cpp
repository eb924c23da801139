#include "core/io/onnx.h"
#include "sampleBytes.h"

namespace kappaflow {

const std::vector<SampleNetwork>& sampleNetworks() {
    static const std::vector<SampleNetwork> samples = {
        {"shapes-classifier", "Shapes classifier",
         "A dense 64-32-24-16-10 network with ReLU, trained to tell ten shapes drawn on 8 × 8 pixels apart (99.7 % right)."},
    };
    return samples;
}

std::span<const unsigned char> sampleNetworkBytes(std::string_view id) {
    std::string known;
    for (const SampleNetwork& sample : sampleNetworks()) {
        if (sample.id == id) return sampleBytes(sample.id + ".onnx");
        known += (known.empty() ? "" : ", ") + sample.id;
    }
    throw InputError("There is no sample network \"" + std::string(id) + "\": it is one of " + known + ".");
}

}  // namespace kappaflow
