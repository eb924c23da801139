#include "scenes/moments/declaration_nets.h"

namespace kappaflow {
namespace {

constexpr const char* kTheorems = "P3 Theorem 2; P3 Theorem 3; P3 Theorem 4";

std::vector<Param> params() {
    std::vector<Param> all = random_nets::netParams({64, 30, 30}, kTheorems);
    all.insert(
        all.begin() + 1,
        choiceParam("expectation", "theorem's expectation",
                    {{"fresh", "fresh weights"}, {"channels", "the drawn channels"}, {"exact", "all weights, exactly"}},
                    "Where the theorem averages over a layer's weights: other weights on the same input, the network's own channels, or "
                    "an integral in closed form, which dense vanilla networks have; others then take fresh weights.",
                    kTheorems));
    for (auto& p : timelineParams(500, "The layer whose units are drawn.", kTheorems)) all.push_back(std::move(p));
    for (auto& p : all)
        if (p.key == "at") p.standard = 1.0;
    return all;
}

std::vector<Field> incrementFields() {
    return {
        {"deltaChi", "δχ^l", {"layer"}, "Increment of the normalised sensitivity, mean over networks."},
        {"deltaChiLow", "", {"layer"}, "Its 16th percentile."},
        {"deltaChiHigh", "", {"layer"}, "Its 84th percentile."},
        theoryField("deltaChiTheorem", "exp m̄[χ^l]", {"layer"},
                    "What Theorem 2, 3 or the dilution law of Theorem 4 say of it, mean over networks."),
        {"ratio", "", {"layer"}, "Mean increment over the mean of the theorem's."},
        {"deltaBatchNorm", "δ_BN χ^l", {"layer"}, "Batch norm's part of the increment; of a ResNet that of a unit's first inner layer."},
        {"deltaActivation", "δ_φ χ^l", {"layer"}, "The activation's part; of a ResNet with the convolution."},
        theoryField("deltaBatchNormTheorem", "exp m̄_BN", {"layer"}, "Theorem 3's term for batch norm."),
        theoryField("deltaActivationTheorem", "exp m̄_φ", {"layer"}, "Theorem 3's term for the ReLU."),
        {"boundLow", "", {"layer"}, "Least increment of the activation: 1; of a ResNet's unit by Eq 14.", Role::Bound},
        {"boundHigh", "", {"layer"}, "Greatest increment of the activation: √2; of a ResNet's unit by Eq 14.", Role::Bound},
        theoryField("undiluted", "δ^H", {"layer"}, "ResNet: product of a unit's inner increments, which it would have without its skip."),
        {"branchVariance",
         "μ₂(y^{l,H})",
         {"layer"},
         "ResNet: variance of a unit's branch, mean over networks; at layer 0 of the input, the zeroth branch."},
        {"chi", "χ^l", {"layer"}, "Normalised sensitivity, geometric mean over networks."},
        theoryField("chiTheorem", "", {"layer"}, "Product of the theorem's increments, geometric mean over networks."),
        {"switching", "", {"layer", "unit"}, "First network: each unit's share of the theorem's average; 0 is always on or always off."},
        theoryField("switchingMean", "1 − δ^−2", {"layer"}, "Mean share that the theorem's increment of the activation stands for."),
    };
}

std::vector<Field> scalarFields() {
    return {
        {"meanRatio", "", {}, "Measured over theorem's increment, mean over layers."},
        {"meanRatioBatchNorm", "", {}, "Measured over theorem's batch norm part of the increment, mean over layers."},
        {"meanRatioActivation", "", {}, "Measured over theorem's activation part of the increment, mean over layers."},
        {"deviation", "", {}, "Standard errors between the mean ratio and 1."},
        {"varianceIdentity", "", {}, "Mean of the signal's variance over its expectation given the layer below: 1 at any width."},
        {"firstStep", "", {}, "Increment of the first layer in closed form: Theorem 2 exactly, or App. E.2 and a Gaussian.", Role::Theory},
        {"firstStepMeasured", "", {}, "Increment of the first layer, measured."},
        {"exponentLow", "τ_min", {}, "Theorem 4: least exponent of χ^l ∼ l^τ (Eq 15).", Role::Bound},
        {"exponentHigh", "τ_max", {}, "Theorem 4: greatest exponent of χ^l ∼ l^τ (Eq 15).", Role::Bound},
        {"collapsedDraws", "", {}, "Networks that died before the last layer."},
    };
}

std::vector<Preset> presets() {
    return {
        {"Theorem 2: vanilla networks", {}},
        {"Theorem 2 with its expectation in closed form", {{"expectation", "exact"}, {"width", "128"}, {"layers", "20"}, {"draws", "12"}}},
        {"Theorem 3: batch norm, an exploding sensitivity", {{"net", "batch-norm"}}},
        {"Theorem 4: a ResNet dilutes every branch", {{"net", "resnet"}, {"layers", "24"}, {"draws", "10"}}},
        {"The skip taken away: δχ = δ^H", {{"net", "resnet"}, {"layers", "16"}, {"skipScale", "0"}, {"draws", "10"}}},
        {"No batch norm: Theorem 4 does not apply", {{"net", "resnet-plain"}, {"layers", "24"}, {"draws", "10"}}},
        {"Low-rank data: batch norm's first step (App. E.2)", {{"net", "batch-norm"}, {"data", "low-rank"}, {"layers", "20"}}}};
}

}  // namespace

Declaration sensitivity_theorems_declaration() {
    Declaration d;
    d.id = "sensitivity-theorems";
    d.title = "Theorems of sensitivity";
    d.claim = "How much each layer adds to the sensitivity follows from how often its units switch, to within a percent.";
    d.group = "Moments";
    d.source = "P3 Theorems 2–4; Eqs 8, 14–15, App. E.2";
    d.lookAt = "The dashed theorem never saw the measured increments: its weights are others, on the same input of every layer.";
    d.tryThis = "Take a ResNet and lower its skip scale to 0: the dilution goes, and every unit multiplies the sensitivity.";
    d.params = params();
    d.fields = incrementFields();
    for (auto& field : scalarFields()) d.fields.push_back(std::move(field));
    d.presets = presets();
    d.timeline = {"at", "layer", "layer", false, 0.4};
    return d;
}

}  // namespace kappaflow
