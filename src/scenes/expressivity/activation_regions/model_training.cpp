#include "scenes/expressivity/activation_regions/model_training.h"

#include <algorithm>
#include <utility>

#include "core/base/errors.h"
#include "core/io/csv.h"

namespace kappaflow::regions {
namespace {

/// Points of standard deviation 1/2 fill the square from −1 to 1.
constexpr double kSpread = 0.5;

bool fromFile(const Values& v) { return v.is("data", "file"); }

LabelledPoints pointsOf(const Request& request) {
    const Values& v = request.params;
    if (fromFile(v) && !request.data) throw InputError("data=file needs the data file itself, which a link does not carry: open it again.");
    LabelledPoints points = fromFile(v) ? readCsv(request.data->bytes, request.data->name)
                                        : drawDataSet(dataSetFromKey(v.text("data")), static_cast<std::size_t>(v.integer("samples")),
                                                      v.number("noise"), v.seed());
    for (double& x : points.points.values) x *= kSpread;
    return points;
}

std::size_t outputsFor(const LabelledPoints& points) { return points.classes.size() > 2 ? points.classes.size() : 1; }

double samplesOf(const Request& request) {
    return fromFile(request.params) ? static_cast<double>(pointsOf(request).labels.size()) : request.params.number("samples");
}

}  // namespace

bool trains(const Values& v) { return !v.is("data", "none") && v.is("network", "") && v.number("inputs") == 2; }

std::size_t trainedOutputs(const Request& request) {
    return trains(request.params) && fromFile(request.params) ? outputsFor(pointsOf(request)) : 1;
}

TrainingTask trainingTask(const Request& request, Network drawn) {
    LabelledPoints points = pointsOf(request);
    auto run =
        training_runs::taskOf(request.params, std::move(drawn), points.points, points.labels, static_cast<int>(points.classes.size()));
    return {std::move(points), std::move(run)};
}

Cost trainingCost(const Request& request, const Architecture& network) {
    return trains(request.params) ? training_runs::costOf(request.params, network, samplesOf(request)) : Cost{};
}

void addTraining(FilledReport& r, const LabelledPoints& points, const training_runs::Run& run) {
    const std::size_t samples = points.labels.size();
    std::vector<double> places(2 * samples), classes(samples);
    for (std::size_t s = 0; s < samples; ++s) {
        places[2 * s] = points.points(0, s);
        places[2 * s + 1] = points.points(1, s);
        classes[s] = points.labels[s];
    }
    Axis sample = countedAxis("sample", samples);
    r.add("samplePoints", {sample, {"xy", {}, {"x", "y"}}}, std::move(places));
    r.add("sampleClass", {std::move(sample)}, std::move(classes));
    run.addTo(r);
}

std::string trainingSummary(const LabelledPoints& points, const training_runs::Run& run) {
    return run.when() + " " + inWords(100 * run.seen().accuracy) + " % of the " + std::to_string(points.labels.size()) +
           " samples are on their side of the decision boundary.";
}

}  // namespace kappaflow::regions
