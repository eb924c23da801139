#include "scenes/moments/moments/declaration_fields.h"

#include <string>

namespace kappaflow::moments {
namespace {

void addBanded(std::vector<Field>& fields, const CurveField& c, const std::string& suffix, const std::vector<std::string>& axes) {
    const std::string name = c.name + suffix, about = c.about;
    fields.push_back({name, c.symbol, axes, suffix.empty() ? about : "In every network compared: " + about});
    fields.push_back({name + "Low", c.symbol, axes, "Lower end of its band: 16 % of the draws lie below."});
    fields.push_back({name + "High", c.symbol, axes, "Upper end of its band: 84 % of the draws lie below."});
}

std::vector<Field> cloudFields() {
    const std::vector<std::string> points{"net", "layer", "point", "coordinate"}, byLayer{"net", "layer"};
    return {
        {"cloudSignal", "x^l", points,
         "First draw: feature vectors in their principal plane, in units of the spread along its first direction."},
        {"cloudNoise", "dx^l", points, "First draw: the noise of the same points in the same plane, of root mean square 1."},
        {"cloudNoiseSize", "", byLayer, "Its root mean square in units of that spread, if the input's noise is as large as its signal."},
        {"cloudSpread", "", byLayer, "That spread over the signal's root mean square."},
        {"cloudShare", "", byLayer, "Share of the signal's variance that the plane holds."}};
}

std::vector<Field> scalarFields() {
    return {
        {"rate", "", {}, "Slope of log χ over layers, by least squares over l = 1 … L, mean over draws."},
        {"rateLate", "", {}, "Slope of log χ over layers in the deeper half, l ≥ L/2, mean over draws."},
        {"exponent", "", {}, "Slope of log χ over log l, by least squares over l = 1 … L, mean over draws."},
        {"exponentLate", "", {}, "Slope of log χ over log l from l = L/5 on, where a power law has set in, mean over draws."},
        theoryField("exponentPredicted", "τ", {}, "Theorem 4's exponent: half of ⟨δχ^{l,1}⟩^(2H) less 1, the mean over layers and draws."),
        theoryField("plateau", "χ^∞", {},
                    "Dense vanilla network of infinite width: √(E‖x⁰‖²/Var‖x⁰‖) of the inputs drawn, where χ levels off."),
        {"kurtosisCeiling", "", {}, "Largest fourth moment that so many points of unit variance can have.", Role::Bound},
        {"pathology", "", {}, "0: well-behaved; 1: zero-dimensional signal; 2: one-dimensional signal; 3: exploding sensitivity."},
        {"fittedLayers", "", {}, "Last layer of the fits: the deepest that half of the draws reach."},
        {"points", "P", {}, "Points behind every moment: samples times positions; of a given network, behind those of its input."}};
}

}  // namespace

std::vector<Field> momentFields() {
    const std::vector<std::string> byLayer{"layer"}, compared{"net", "layer"};
    std::vector<Field> fields;
    for (const CurveField& curve : kCurves) addBanded(fields, curve, "", byLayer);
    fields.push_back({"chiMedian", "χ^l", byLayer, "Median over draws, less moved by a few networks than the mean."});
    for (const auto& [name, symbol, about] : kTheory) fields.push_back(theoryField(name, symbol, byLayer, about));
    fields.push_back(theoryField("powerLaw", "C l^τ", byLayer, "Theorem 4's power law with its exponent τ and the best factor C."));
    fields.push_back({"layerKind", "", byLayer,
                      "Given network: what made the state; 0 input, 1 dense, 2 convolution, 3 activation, 4 batch norm, 5 pool, 6 flatten, "
                      "7 residual."});
    fields.push_back({"alive", "", byLayer, "Draws that reach the layer with a signal: those behind its means."});
    for (auto& field : cloudFields()) fields.push_back(std::move(field));
    for (const CurveField& curve : kCurves)
        if (curve.compared) addBanded(fields, curve, "Compared", compared);
    fields.push_back({"rateCompared", "", {"net"}, "The scalar `rate` of every network compared."});
    fields.push_back({"exponentCompared", "", {"net"}, "The scalar `exponent` of every network compared."});
    fields.push_back({"pathologyCompared", "", {"net"}, "The scalar `pathology` of every network compared."});
    for (auto& field : scalarFields()) fields.push_back(std::move(field));
    return fields;
}

}  // namespace kappaflow::moments
