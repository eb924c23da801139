#include <cmath>

#include "core/base/errors.h"
#include "core/io/csv.h"
#include "core/io/labelled_file.h"
#include "core/io/labelled_images.h"
#include "core/moments/network_input.h"
#include "core/net/autoregressive_signals.h"
#include "core/net/data_sets.h"
#include "core/net/stroke_digits.h"
#include "scenes/one_network/network_lens/model_setup.h"

namespace kappaflow::lens {
namespace {

/// Points of the plane of standard deviation 1/2 fill the square from −1 to 1.
constexpr double kSpread = 0.5;

Samples ofPlane(LabelledPoints points) {
    for (double& x : points.points.values) x *= kSpread;
    return {std::move(points.points), std::move(points.labels), static_cast<int>(points.classes.size()), {1, 1, 2}};
}

Samples of(LabelledPoints points, Shape shape) {
    return {std::move(points.points), std::move(points.labels), static_cast<int>(points.classes.size()), shape};
}

/// The shape of square images of one colour or three.
Shape imageShape(std::size_t values) {
    const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(values))));
    if (static_cast<std::size_t>(side) * static_cast<std::size_t>(side) == values) return {1, side, side};
    const int third = static_cast<int>(std::lround(std::sqrt(static_cast<double>(values) / 3)));
    return {3, third, third};
}

/// `drawn`: for a network that is drawn here, which expects points about 0. Others get what the reader wrote.
Samples fileSamples(const Attachment& file, bool drawn) {
    if (!holdsImages(file.bytes))
        return drawn ? ofPlane(readCsv(file.bytes, file.name)) : of(readCsvAsWritten(file.bytes, file.name), {1, 1, 2});
    LabelledPoints images = readLabelledImages(file.bytes, file.name, kMostFileImages);
    const Shape shape = imageShape(images.points.rows);
    return of(std::move(images), shape);
}

/// Slow, alternating, and two that repeat every second value, with and without a change of sign.
LabelledPoints signals(std::size_t count, std::uint64_t seed) {
    return autoregressiveSignals({{0.9, 0}, {-0.9, 0}, {0, 0.9}, {0, -0.9}}, count, kSignalLength, seed);
}

}  // namespace

Samples gaussianSamples(const Architecture& network, std::size_t count, std::uint64_t seed) {
    return {drawNetworkInput(network, MomentData::White, count, seed, 0).signal, {}, 0, network.input};
}

Samples samplesOf(const Request& request) {
    const Values& v = request.params;
    const auto count = static_cast<std::size_t>(v.integer("samples"));
    if (v.is("data", "file")) {
        if (!request.data) throw InputError("data=file needs the data file itself, which a link does not carry: open it again.");
        return fileSamples(*request.data, drawn(v));
    }
    if (v.is("data", "gaussian")) return gaussianSamples({{1, 1, drawn(v) ? v.integer("inputs") : 1}, {}}, count, v.seed());
    if (v.is("data", "digits")) return of(strokeDigits(count, v.seed()), {1, kDigitSide, kDigitSide});
    if (v.is("data", "signals")) return of(signals(count, v.seed()), {1, 1, kSignalLength});
    return ofPlane(drawDataSet(dataSetFromKey(v.text("data")), count, v.number("noise"), v.seed()));
}

SamplePlan planOf(const Samples& samples) { return {samples.shape, samples.count(), samples.labels.empty() ? 0 : samples.classes}; }

SamplePlan samplePlanOf(const Request& request) {
    const Values& v = request.params;
    const auto count = static_cast<std::size_t>(v.integer("samples"));
    if (v.is("data", "file")) return planOf(samplesOf(request));
    if (v.is("data", "digits")) return {{1, kDigitSide, kDigitSide}, count, 10};
    if (v.is("data", "signals")) return {{1, 1, kSignalLength}, count, 4};
    if (v.is("data", "gaussian")) return {{1, 1, drawn(v) ? v.integer("inputs") : 1}, count, 0};
    return {{1, 1, 2}, count, 2};
}

std::vector<double> Samples::at(std::size_t sample) const {
    std::vector<double> x(inputs.rows);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = inputs(i, sample);
    return x;
}

}  // namespace kappaflow::lens
