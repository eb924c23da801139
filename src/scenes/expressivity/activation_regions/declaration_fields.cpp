#include "scenes/expressivity/activation_regions/declaration_fields.h"

#include "scene/declare.h"
#include "scenes/expressivity/activation_regions/declaration_training.h"

namespace kappaflow::regions {
namespace {

std::vector<Field> meshFields() {
    return {{"vertices", "", {"vertex", "xy"}, "Corners of the regions, in coordinates of the plane."},
            {"polygons", "", {"corner"}, "Vertices of every region in turn, counterclockwise."},
            {"polygonEnds", "", {"region"}, "Where each region's vertices end in the list of polygons."},
            {"edges", "", {"edge", "end"}, "Vertices that each edge joins."},
            {"edgeLayer", "", {"edge"}, "Layer that drew the edge; 0 is the window's border."},
            {"edgeUnit", "", {"edge"}, "Unit of that layer whose bend the edge is; −1 on the border."},
            {"area", "", {"region"}, "Area of each region."},
            {"firstCut", "", {"region"}, "The first layer among those that drew a region's sides; 0: only the window's border."},
            {"pattern",
             "",
             {"depth", "region"},
             "Number made from the states of all units up to a layer: equal for equal patterns, in every picture."},
            {"states",
             "",
             {"layer", "region"},
             "States of a layer's units packed into one number, unit 0 lowest; in base 4 up to 26 units, in base 2 up to 52."},
            {"output", "", {"region"}, "The chosen output at the middle of each region."},
            {"vertexOutput", "", {"vertex"}, "The chosen output at each vertex."},
            {"gradient", "", {"region"}, "Norm of the slope of all outputs within the plane."},
            {"decisionBoundary",
             "",
             {"segment", "coordinate"},
             "Where the decision changes: ends x, y, x, y of straight pieces; one output: its zeros, several: where the largest two are "
             "equal."}};
}

std::vector<Field> countFields() {
    const std::vector<std::string> depth{"depth"};
    return {
        {"regionsByDepth", "F", depth, "Regions of the network cut off after a layer; 0 is the window itself."},
        {"edgesByDepth", "E", depth, "Edges, the window's border included."},
        {"verticesByDepth", "V", depth, "Vertices, corners of the window included."},
        {"unitsByDepth", "N", depth, "Units up to a layer that bend."},
        theoryField("typicalByDepth", "N²/2", depth,
                    "Count to expect of a random ReLU network whose window contains the vertices (Hanin and Rolnick)."),
        {"boundByDepth", "", depth, "Never more: the product over layers of 1 + T + T(T − 1)/2, with T the lines of a layer.", Role::Bound},
        {"regions", "F", {}, "Regions: open cells of constant activation pattern, one a pattern."},
        {"vertexCount", "V", {}, "Vertices, those on the border included."},
        {"edgeCount", "E", {}, "Edges, those on the border included."},
        {"areaSum", "", {}, "Sum of all areas; the window's."},
        {"eulerCharacteristic", "V − E + F", {}, "1 for every subdivided disc."},
        {"affinePieces", "", {}, "Connected unions of regions on which the last hidden layer is one affine function."},
        {"typicalCount", "N²/2", {}, "Count to expect of a random ReLU network whose window contains the vertices.", Role::Theory},
        {"exactThrough", "", {}, "Last layer that was cut; deeper ones would have gone over the budget."},
        {"certificate", "", {}, "1 when Euler's formula, distinct patterns, areas and neighbours all agree, else 0."},
        {"pathPieces", "", {}, "Pieces that the trajectory falls into within the window."}};
}

std::vector<Field> otherFields() {
    return {{"path", "", {"point", "xy"}, "The trajectory, in coordinates of the plane."},
            {"pathBreaks", "", {"piece"}, "Share of the trajectory at which each of its pieces begins."},
            {"window", "", {"corner", "xy"}, "The window's lower left and upper right corner."},
            {"plane", "", {"vector", "input"}, "Origin and both directions of the plane, of at most 16 inputs."},
            {"widths", "", {"column"}, "Units of each column of the network as it is drawn, input first; only of small dense networks."},
            {"weights", "w", {"weight"}, "Its weights and biases."},
            {"weightLayer", "", {"weight"}, "Layer of each weight, from 1."},
            {"weightTo", "", {"weight"}, "Unit it leads to."},
            {"weightFrom", "", {"weight"}, "Unit it reads; −1 for a bias."}};
}

}  // namespace

std::vector<Field> fields() {
    std::vector<Field> all = countFields();
    for (const auto& part : {meshFields(), otherFields(), trainingFields()})
        for (const auto& field : part) all.push_back(field);
    return all;
}

}  // namespace kappaflow::regions
