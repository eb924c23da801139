#include "scenes/capacity_flow/capacity_diffusion/declaration_fields.h"

#include "scene/declare.h"

namespace kappaflow::diffusion {
namespace {

using Axes = std::vector<std::string>;

const Axes kEverywhere{"layer", "position"}, kPlane{"layer", "y", "x"}, kLayer{"layer"}, kLayerAxis{"layer", "axis"},
    kWeightLayer{"weightLayer"}, kWeightLayerAxis{"weightLayer", "axis"};

Field onGrids(Axes axes, Field field) {
    field.gridAxes = std::move(axes);
    return field;
}

std::vector<Field> capacityFields() {
    return {
        onGrids(
            kPlane,
            {"capacity", "κ^l", kEverywhere,
             "Capacity of every position (dense networks and files without planes: unit), summed over channels; at the top it totals 1."}),
        {"total", "Σκ^l", kLayer, "Total capacity of each layer; with `unattributed` it is constant."},
        {"unattributed", "", kLayer, "Capacity that units without weights could not pass on, accumulated from the top."},
        {"heights", "", kLayer, "Two dimensions: number of rows of each layer; a dense layer has one."},
        {"widths", "n_l", kLayer, "Number of positions (units) of each layer; in two dimensions its number of columns."},
        {"channelCounts", "c_l", kLayer, "Two dimensions: number of channels of each layer."},
        {"channelCapacity", "", kPlane, "Capacity of every position in the chosen channel; undefined in layers with fewer channels."},
        onGrids({"topY", "topX"}, {"profileStart", "κ^L", {"topPosition"}, "The capacity at the top, scaled to a total of 1."})};
}

std::vector<Field> momentFields() {
    return {
        onGrids(kLayerAxis,
                {"mean", "", kLayer,
                 "Mean offset from the top in the layer's own positions, unwrapped on rings, of the profile shown; below layers "
                 "without places (dense, global pooling) the mean position."}),
        onGrids(kLayerAxis,
                {"variance", "σ²", kLayer, "Variance of that offset, of the profile shown (ensembles: of the average profile)."}),
        onGrids(kLayerAxis,
                {"varianceWithin", "", kLayer, "Ensembles: variance of one network's profile about its own mean, averaged over networks."}),
        {"deviationWithin", "", kLayer, "Ensembles on rings and lines: square root of it, the width of one network."},
        {"centres", "", {"network", "layer"}, "Ensembles on rings and lines: mean offset of each of the first sixty networks."},
        {"centreWanderByLayer", "", kLayer, "Ensembles on rings and lines: standard deviation over networks of that mean."},
        onGrids(kLayerAxis, {"standardDeviation", "σ", kLayer, "Square root of the variance: the width of the profile."}),
        {"covariance", "", kLayer, "Two dimensions: covariance of the offsets along y and x."},
        {"standardDeviationFitted", "", kLayerAxis,
         "Files in two dimensions, a fit and no theory: the width if the variance, in input positions, grew along a straight line with the "
         "layers crossed (least squares over layers with rows and columns)."},
        onGrids(kPlane, {"gradient", "", kEverywhere,
                         "Mean squared gradient of the chosen top units with respect to each layer, real activation, summed over channels, "
                         "scaled to 1 per layer."})};
}

std::vector<Field> theoryFields() {
    return {
        onGrids(kPlane, theoryField("gaussian", "π", kEverywhere,
                                    "Solution of the diffusion equation: the start convolved with the normal density of the kernel's v and "
                                    "𝒟, wrapped on rings and tori, reflected at ends and edges.")),
        onGrids(kLayerAxis, theoryField("meanPredicted", "", kLayer, "Mean offset from the start's mean and the kernel's v.")),
        onGrids(kLayerAxis, theoryField("variancePredicted", "", kLayer, "Variance from the start's variance and the kernel's 𝒟.")),
        onGrids(kLayerAxis,
                theoryField("standardDeviationPredicted", "", kLayer, "Square root of the predicted variance: grows as √(layers passed).")),
        theoryField("covariancePredicted", "", kLayer, "Two dimensions: covariance from the kernel's 𝒟_{yx}."),
        onGrids(kWeightLayerAxis,
                theoryField("driftByLayer", "v", kWeightLayer, "Mean step of one layer from the kernel (residual: times ε).")),
        onGrids(kWeightLayerAxis, theoryField("diffusionByLayer", "𝒟", kWeightLayer,
                                              "Half the variance one layer adds, from the kernel (residual: times ε).")),
        onGrids({"weightLayer", "tapY", "tapX"},
                {"kernelShares",
                 "D_k",
                 {"weightLayer", "tap"},
                 "Share of a unit's capacity that goes to each tap, identity connection included, averaged over positions, output channels "
                 "and draws."})};
}

std::vector<Field> pictureFields() {
    return {{"flowFrom", "", {"edge"}, "Bin of the upper layer an edge leaves."},
            {"flowTo", "", {"edge"}, "Bin of the layer below an edge reaches."},
            {"flowAmount", "D_ij κ_j", {"edge"}, "Capacity that flows along the edge, summed over channels."},
            {"flowOffsets", "", kLayer, "Edges from layer l to l − 1 are those numbered flowOffsets[l − 1] … flowOffsets[l] − 1."},
            {"flowBinSize", "", kLayer, "Positions in one bin of the flow, 1 when edges join single positions."},
            {"shares", "D_l", {"share"}, "Dense networks and files: every D_l, row-major [input, output], one after another."},
            {"sharesOffsets", "", kLayer, "Where each D_l starts in shares; D_l occupies sharesOffsets[l − 1] … sharesOffsets[l] − 1."},
            {"sharesRows", "", kWeightLayer, "Inputs of each layer."},
            {"sharesColumns", "", kWeightLayer, "Outputs of each layer."}};
}

std::vector<Field> scalarFields() {
    return {{"drift",
             "v",
             {},
             "Drift of the diffusion equation from the kernel: v = Σ k Δ_k, averaged over layers; time runs ε per layer (plain: 1).",
             Role::Theory},
            {"diffusion",
             "𝒟",
             {},
             "Diffusion coefficient from the kernel: 𝒟 = ½ Σ k² Δ_k (plain layers: ½ (Σ k² D_k − v²)), averaged over layers.",
             Role::Theory},
            {"driftY", "v_y", {}, "Two dimensions: the drift along y; `drift` is that along x.", Role::Theory},
            {"diffusionY", "𝒟_yy", {}, "Two dimensions: the diffusion coefficient along y; `diffusion` is that along x.", Role::Theory},
            {"spread", "σ", {}, "Standard deviation of the capacity at the input; in two dimensions along x."},
            {"spreadY", "σ_y", {}, "Two dimensions: standard deviation of the capacity at the input along y."},
            {"fittedGrowth",
             "",
             {},
             "Files in two dimensions, a fit and no theory: variance along x, in input positions, gained per layer crossed."},
            {"fittedGrowthY", "", {}, "The same along y."},
            {"totalVariation", "TV", {}, "Distance of the profile at the input from the Gaussian: ½ Σ |κ − π|."},
            {"gradientTotalVariation", "", {}, "Distance of the squared gradient from the capacity at the input: ½ Σ |gradient − κ|."},
            {"centreWander", "", {}, "Ensembles: standard deviation over networks of the profile's mean at the input (along x)."},
            {"centreWanderY", "", {}, "Ensembles in two dimensions: the same along y."}};
}

}  // namespace

std::vector<Field> fields() {
    std::vector<Field> all;
    for (const auto& part : {capacityFields(), momentFields(), theoryFields(), pictureFields(), scalarFields()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace kappaflow::diffusion
