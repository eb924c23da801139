#include "core/io/network_file.h"
#include "sampleBytes.h"

namespace kappaflow {

const std::vector<SampleNetwork>& sampleNetworks() {
    static const std::vector<SampleNetwork> samples = {
        {"shapes-classifier", "Shapes classifier",
         "A dense 64-32-24-16-10 network with ReLU, trained to tell ten shapes drawn on 8 × 8 pixels apart (99.7 % right)."},
        {"strokes-cnn", "CNN on strokes",
         "A plain CNN of eight 3 × 3 convolutions, a max and an average pooling and a sparse dense layer, trained to tell ten digits drawn "
         "with strokes on 24 × 24 pixels apart (98.0 % right)."},
        {"strokes-resnet", "Residual CNN on strokes",
         "A residual CNN of six blocks on 24 × 24, 12 × 12 and 6 × 6 positions with batch norm and global average pooling, trained to tell "
         "ten digits drawn with strokes on 24 × 24 pixels apart (99.3 % right)."},
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
