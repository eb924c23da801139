#include "scenes/one_network/network_lens/declaration_fields.h"

#include "scene/declare.h"

namespace kappaflow::lens {
namespace {

std::vector<Field> networkFields() {
    return {{"units",
             "k",
             {"layer"},
             "Units of every state of the network that the lenses look at: of the input, and behind each layer that has weights, pools or "
             "adds."},
            {"channels", "", {"layer"}, "Channels of every state; 1 of a plain vector."},
            {"heights", "", {"layer"}, "Rows of every state; 1 of vectors and signals."},
            {"columns", "", {"layer"}, "Columns of every state; units of a plain vector."},
            {"parameters", "p", {"layer"}, "Weights and biases of the layer below each state; none at the input."}};
}

std::vector<Field> capacityFields() {
    return {
        {"capacity", "κ", {"layer", "unit"}, "Capacity of every unit when the chosen output holds 1, of the network before an edit."},
        {"total", "", {"layer"}, "Capacity of each state together; what is missing to 1 was kept by units without weights."},
        {"holders", "", {"layer"}, "Number of units that hold it, as (Σκ)²/Σκ²."},
        {"flowFrom", "", {"edge"}, "Upper bin of units of each edge along which capacity flows."},
        {"flowTo", "", {"edge"}, "Lower bin of each edge."},
        {"flowAmount", "", {"edge"}, "Capacity that flows along each edge."},
        {"flowOffsets", "", {"layer"}, "Edges from state l to l − 1 are those numbered flowOffsets[l − 1] … flowOffsets[l] − 1."},
        {"flowBin", "", {}, "Units in each bin of the flow."},
        {"capacityStep", "t", {}, "Training step that the capacity belongs to."},
        {"parameterCapacity",
         "p − hidden",
         {},
         "Capacity of all weights and biases: where f(cz) = c f(z), one scale a hidden unit is redundant (P1 App. A)."},
        {"editedUnits", "k", {"editedLayer"}, "Units of every state of the edited network."},
        {"editedParameters", "p", {"editedLayer"}, "Weights and biases of its layers that can still be learned."},
        {"editedCapacity", "κ", {"editedLayer", "unit"}, "Capacity of every unit of the edited network."},
        {"editedTotal", "", {"editedLayer"}, "Capacity of each of its states together."},
        {"editedHolders", "", {"editedLayer"}, "Number of units that hold it, as (Σκ)²/Σκ²."},
        {"stateBefore", "", {"editedLayer"}, "The state of the network before the edit that this one stands for; empty where it is new."},
        {"editedParameterCapacity", "", {}, "Capacity of all weights and biases after the edit."},
        {"moved", "", {}, "Share of the inputs' capacity that the edit moved: half the sum of all differences."},
        {"functionChange", "", {}, "How far the edit moved the outputs of the samples, rms over the outputs' own rms."}};
}

std::vector<Field> regionFields() {
    return {
        {"regionsByDepth", "F", {"depth"}, "Regions of the window when the network ends after a bending layer; 0 is the window itself."},
        {"unitsByDepth", "N", {"depth"}, "Units up to a depth that bend."},
        {"stateOfDepth", "", {"depth"}, "State that stands behind each depth."},
        {"insideOfDepth",
         "",
         {"depth"},
         "Where a depth lies in a residual block: k, the k-th bend inside it; −1, behind the sum; 0 of other layers."},
        {"vertices", "", {"vertex", "xy"}, "Corners of the regions, in coordinates of the plane."},
        {"polygons", "", {"corner"}, "Vertices of every region in turn, counterclockwise."},
        {"polygonEnds", "", {"region"}, "Where each region's vertices end in the list of polygons."},
        {"edges", "", {"edge", "end"}, "Vertices that each edge joins."},
        {"edgeLayer", "", {"edge"}, "Depth that drew the edge; 0 is the window's border."},
        {"pattern", "", {"depth", "region"}, "Number made from the states of all units up to a depth: equal for equal patterns."},
        {"output", "", {"region"}, "The chosen output at the middle of each region."},
        {"vertexOutput", "", {"vertex"}, "The chosen output at each vertex."},
        {"decisionBoundary",
         "",
         {"segment", "coordinate"},
         "Where the decision changes: ends x, y, x, y of straight pieces; one output: its zeros, several: where the largest two are "
         "equal."},
        {"window", "", {"corner", "xy"}, "The window's lower left and upper right corner."},
        {"regions", "F", {}, "Regions in the window, by the layers that were cut: open cells of constant activation pattern."},
        {"exactThrough",
         "",
         {},
         "Last depth that was cut; deeper ones would have gone over the budget of regions, or over what memory allows."},
        {"bendingLayers", "", {}, "Bending layers of the network: depths, were all of them cut."},
        {"regionBudget", "", {}, "The most regions that the cut could make: the budget, or fewer where time and memory allow no more."},
        {"certificate", "", {}, "1 when Euler's formula, distinct patterns, areas and neighbours all agree, else 0."},
        {"regionsStep", "t", {}, "Training step that the regions belong to."}};
}

std::vector<Field> trajectoryFields() {
    return {{"length", "ℓ", {"layer"}, "Length of the curve from sample A to sample B behind each layer."},
            {"growth", "", {"layer"}, "Its ratio to the layer before."},
            {"transitions", "", {"layer"}, "Changes of linear piece of the layer's units along the curve, as deep as it is exact."},
            {"pieces", "", {"layer"}, "Activation patterns along the curve up to each layer, as deep as it is exact."},
            {"image", "", {"layer", "point", "coordinate"}, "The curve in each layer's principal plane."},
            {"place", "t", {"point"}, "Where on the curve these points lie: 0 at A, 1 at B."},
            {"planeShare", "", {"layer"}, "Share of the curve's variance that lies in that plane."},
            {"curve", "", {"place", "xy"}, "The curve in coordinates of the plane of the regions, when it lies in it."},
            {"lengthRatio", "", {}, "Length behind the last layer over the length in the input."},
            {"exactLayers", "", {}, "Last layer whose length is exact; the ones behind are sampled."},
            {"lengthStep", "t", {}, "Training step that the curve belongs to."}};
}

std::vector<Field> sensitivityFields() {
    return {{"chi", "χ", {"layer"}, "Normalised sensitivity: by how much noise grew more than the signal, from the input on."},
            {"rankSignal", "r(x)", {"layer"}, "Effective rank of the samples' states: trace over largest eigenvalue of their covariance."},
            {"rankNoise", "r(dx)", {"layer"}, "Effective rank of the noise on them."},
            {"sensitivitySamples", "", {}, "Samples that signal and noise were taken over."},
            {"sensitivityStep", "t", {}, "Training step that the sensitivity belongs to."}};
}

std::vector<Field> dataFields() {
    return {{"samplePoints",
             "x",
             {"sample", "xy"},
             "The first thousand samples in coordinates of the plane; of more than two inputs, their shadows on it."},
            {"sampleCount", "", {}, "All samples, of which A, B and C may be any three."},
            {"sampleClass", "", {"sample"}, "Their classes, counted from 0; −1 without labels."},
            {"chosen", "", {"role"}, "Numbers of the samples A, B and C."},
            {"chosenPoints", "", {"role", "xy"}, "These three in coordinates of the plane."},
            {"chosenInputs", "x", {"role", "input"}, "The inputs of these three."},
            {"loss", "", {"step"}, "Loss over all samples; empty after the training has diverged."},
            {"accuracy", "", {"step"}, "Share of the samples that the network puts into their class."},
            {"trainedSteps", "t", {}, "Training steps behind the network that is shown."},
            {"trainingLoss", "", {}, "Loss over all samples at this step."},
            {"trainingAccuracy", "", {}, "Share of the samples in their class at this step."}};
}

}  // namespace

std::vector<Field> fields() {
    std::vector<Field> all;
    for (const auto& part : {networkFields(), capacityFields(), regionFields(), trajectoryFields(), sensitivityFields(), dataFields()})
        for (const auto& field : part) all.push_back(field);
    return all;
}

}  // namespace kappaflow::lens
