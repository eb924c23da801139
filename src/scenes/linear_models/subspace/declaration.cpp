#include "scene/declare.h"

namespace kappaflow {
namespace {

bool spatial(const Values& v) { return v.is("dimension", "3"); }
bool surface(const Values& v) { return v.is("curve", "surface"); }
bool oneParameter(const Values& v) { return !surface(v); }
bool bends(const Values& v) { return !surface(v) || spatial(v); }

Param number(Text key, Text symbol, Text label, double standard, double min, double max, Text help, Text serves) {
    return inRange(param(Kind::Number, key, symbol, label, standard, help, serves), min, max);
}

Param viewed(Param p) {
    p.group = Group::Hidden;
    p.affects = Affects::View;
    return p;
}

std::vector<Param> mainParams() {
    return {choiceParam("dimension", "inputs", {{"2", "2"}, {"3", "3"}},
                        "Dimension n of the input space, which is the space of errors too.", "P2 Fig 2"),
            choiceParam("curve", "models", {{"parabola", "a parabola"}, {"wave", "a cubic curve"}, {"surface", "two parameters"}},
                        "The manifold of models A_w: (w, b(w² − 1/2)), (w, b(w³ − w)), or (w₁, w₂); with a third coordinate b w³/2, b(w² − "
                        "1/2) or b w₁w₂.",
                        "P2 Fig 2; Eqs 11–13"),
            number("w", "w", "start", -0.85, -1.6, 1.6, "Parameter from which the loss is descended.", "P2 Eqs 14–15"),
            visibleWhen(surface, number("w2", "w₂", "start, second parameter", 1.1, -1.6, 1.6, "The second parameter at the start.",
                                        "P2 Eqs 14–15")),
            number("correlation", "ρ", "correlation of inputs", 0, -0.9, 0.9,
                   "The inputs' covariance is Σ_ij = ρ^|i − j|; the constraints are K̃ = Σ ∂A/∂W.", "P2 Eqs 14, 16"),
            visibleWhen(spatial, choiceParam("subspace", "subspace S", {{"line", "a line"}, {"plane", "a plane"}},
                                             "S is the line along its arrow, or the plane orthogonal to it.", "P2 Eq 2")),
            number("angle", "", "direction of S", 20, -180, 180, "Angle of S's arrow from the first axis, in degrees.", "P2 Eq 2"),
            visibleWhen(spatial, number("height", "", "height of S", -35, -90, 90,
                                        "Angle of S's arrow above the first two axes, in degrees.", "P2 Eq 2")),
            visibleWhen(oneParameter, number("apart", "δ", "angle of K₁, K₂", 45, 0, 180,
                                             "Angle from the model's constraint to a second one, in degrees; two parameters have two "
                                             "constraints of their own.",
                                             "P2 Properties 5–6"))};
}

std::vector<Param> moreParams() {
    const char* help = "A coordinate of the target A*; the errors are X = A_w − A*.";
    return {
        visibleWhen(bends, number("bend", "b", "bend", 1, -2, 2, "How strongly the manifold is curved; 0 is a linear model.", "P2 Fig 2")),
        number("target1", "A*₁", "target, first coordinate", 0.9, -2, 2, help, "P2 Eq 13"),
        number("target2", "A*₂", "target, second coordinate", -1.1, -2, 2, help, "P2 Eq 13"),
        visibleWhen(spatial, number("target3", "A*₃", "target, third coordinate", -0.7, -2, 2, help, "P2 Eq 13"))};
}

std::vector<Param> params() {
    auto all = mainParams();
    for (auto& p : moreParams()) all.push_back(underMore(std::move(p)));
    auto timeline = timelineParams(12, "Step of the descent that is shown.", "P2 Eqs 14–15");
    timeline[0].symbol = "";
    timeline[0].label = "step";
    timeline[1].help = "Whether the descent passes by itself.";
    all.insert(all.end(), timeline.begin(), timeline.end());
    all.push_back(
        viewed(number("orbit", "", "direction of view", -35, -180, 180, "Where three dimensions are seen from, in degrees.", "P2 Fig 2")));
    all.push_back(viewed(number("tilt", "", "height of view", 22, -85, 85, "Height from which they are seen, in degrees.", "P2 Fig 2")));
    return all;
}

std::vector<Field> fields() {
    const std::vector<std::string> parts{"step", "part"};
    return {{"errors", "X", {"point", "axis"}, "The errors' manifold, A_w − A*; for two parameters a square grid of points, w₁ first."},
            {"path", "X", {"step", "axis"}, "Errors along the descent; the last is where it comes to rest."},
            {"parameters", "w", {"step", "parameter"}, "Parameters along the descent."},
            {"constraints", "K", {"step", "constraint", "axis"}, "Orthonormal constraints, a basis of span Σ ∂A/∂w."},
            {"residual", "‖KᵀX‖/‖X‖", {"step"}, "Share of the error that the constraints still see: 0 at an optimum."},
            {"capacity", "κ", {"axis"}, "Capacity of every axis at rest."},
            {"capacityByStep", "κ", parts, "Capacity of every axis and of S."},
            {"errorShare", "e²", parts, "Share of the squared error in every axis and in S; not defined where no error is left."},
            {"expectedShare", "", parts, "(n_S − κ_S)/(n − κ), the share that Eq 6 expects.", Role::Bound},
            {"sets", "", {"step", "set", "axis"}, "Unit vectors that span the constraint spaces K₁ and K₂."},
            {"separate", "κ", {"step", "set", "part"}, "Capacity under K₁ alone and under K₂ alone."},
            {"joint", "κ", parts, "Capacity under K₁ + K₂; less one of the above it is the conditional capacity (Eq 9)."},
            {"errorByDirection",
             "e²",
             {"direction"},
             "Three inputs, one constraint: share in S of an error in each direction K allows, in degrees."},
            {"angleBetween", "", {}, "Angle between K₁ and K₂ in degrees."},
            {"largestExcess", "cos δ", {}, "Largest κ₁ + κ₂ − κ₁₂ of any line; 0 only when K₁ and K₂ are orthogonal (Property 5)."},
            {"totalCapacity", "κ", {}, "Total capacity, the dimension of K (Property 2)."},
            {"capacityOfSubspace", "κ(S)", {}, "Capacity of S at rest, ‖KᵀS‖² (Eq 2)."},
            {"capacityOtherBases", "κ(S)", {}, "The same from other orthonormal bases of K and S (Property 1)."},
            {"squaredError", "‖X‖²", {}, "Squared error at rest."},
            {"errorOfSubspace", "e_S²", {}, "Squared error in S."},
            {"errorBound", "ε_S", {}, "Squared error in S that Eq 6 expects; with κ = n − 1 it is e_S² itself (Eq 7).", Role::Bound},
            {"loss", "", {}, "XᵀΣX at rest."},
            {"optimality", "‖KᵀX‖/‖X‖", {}, "The residual at rest; 0 when no error is left."},
            {"curvature", "", {}, "Least second derivative of half the loss along the manifold, relative to JᵀΣJ; above 0 at a minimum."}};
}

std::vector<Preset> presets() {
    return {{"A curve of models in the plane (Fig 2)", {}},
            {"Property 5: direct is not enough", {{"target1", "0"}, {"target2", "-1.2"}, {"w", "-0.8"}, {"angle", "0"}}},
            {"Correlated inputs turn the constraint", {{"correlation", "0.7"}}},
            {"Three inputs, one parameter (Eq 6)", {{"dimension", "3"}, {"w", "-0.6"}}},
            {"Three inputs, two parameters (Eq 7)",
             {{"dimension", "3"}, {"curve", "surface"}, {"w", "-0.9"}, {"target1", "0.3"}, {"target2", "-0.6"}, {"target3", "-1"}}},
            {"A local optimum", {{"curve", "wave"}, {"bend", "1.6"}, {"w", "1.3"}, {"target1", "-0.4"}, {"target2", "-0.4"}}},
            {"As many parameters as inputs", {{"curve", "surface"}, {"w", "-0.5"}}}};
}

}  // namespace

Declaration subspace_declaration() {
    Declaration d;
    d.id = "subspace";
    d.title = "Capacity of a subspace";
    d.claim = "An optimum is where the errors meet the constraints' complement; capacity is how much of a direction they tie down.";
    d.group = "Linear models";
    d.source = "P2 Fig 2; Section 3, Properties 1–6, Eqs 1–10, 14–18";
    d.lookAt = "As the model descends, its constraint turns until the error lies in the complement, which no capacity sees.";
    d.tryThis = "Turn S, drag the curve, and open the angle δ to 90°: only then do the two capacities add.";
    d.params = params();
    d.fields = fields();
    d.presets = presets();
    d.timeline = {"at", "step", "step", false, 0.45};
    return d;
}

}  // namespace kappaflow
