#include "scenes/linear_models/model_scene.h"

namespace kappaflow::wide {

Report finished(FilledReport& r, const SeriesRun& series, const char* stacks, std::string summary) {
    r.report.status = series.finished() ? Status::Ok : Status::Partial;
    r.report.message = series.finished() ? "" : std::string("Weights of more ") + stacks + " are being looked for.";
    r.report.summary = std::move(summary);
    return std::move(r.report);
}

std::string aboutWeights(const StackCapacity& stack, const SearchSettings& search) {
    std::string text;
    if (stack.rank != stack.total) text = " At these weights " + inWords(stack.rank, 6) + " units are found.";
    if (search.steps < 1) return text + " The weights are random ones.";
    return text + " At the weights found ‖KᵀX‖/‖X‖ is " + inWords(stack.optimality, 2) + ".";
}

}  // namespace kappaflow::wide
