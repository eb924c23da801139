#include <algorithm>
#include <cmath>
#include <limits>

#include "scenes/linear_models/model_subject.h"
#include "scenes/linear_models/optimal.h"

namespace kappaflow::linear {
namespace {

using Vector = std::vector<double>;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Vector distances(const Vector& a, const Vector& b) {
    Vector result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = std::abs(a[i] - b[i]);
    return result;
}

/// |a − b|/|b|, undefined where b is 0.
Vector relative(const Vector& a, const Vector& b) {
    Vector result = distances(a, b);
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = b[i] == 0 ? kNone : result[i] / std::abs(b[i]);
    return result;
}

class Writer {
public:
    Writer(const WalkSetup& setup, const Scope& scope, const WalkResult& result)
        : setup(setup), scope(scope), result(result), asked(*result.asked), out(setup.scene) {
        walk.name = setup.optimising ? "step" : "channels";
        for (const Frame& frame : result.frames) walk.values.push_back(frame.place);
    }

    void addAsked() {
        const Axis lag = countedAxis("lag", setup.length);
        const Vector target = newestFirst(scope.task.target);
        out.add("capacity", {lag}, asked.capacity);
        out.add("capacityInBasis", {countedAxis("component", asked.inBasis.size())}, asked.inBasis);
        if (!asked.eigenvalues.empty()) out.add("eigenvalues", {countedAxis("index", setup.length)}, asked.eigenvalues);
        if (!result.rawSpectrum.empty()) out.add("eigenvaluesRaw", {countedAxis("index", setup.length)}, result.rawSpectrum);
        out.add("coefficients", {lag}, asked.coefficients);
        out.add("target", {lag}, target);
        out.add("absoluteError", {lag}, distances(asked.coefficients, target));
        out.add("relativeError", {lag}, relative(asked.coefficients, target)).mayBeUndefined = true;
        addAutocovariance();
    }
    void addScalars() {
        out.add("totalCapacity", asked.exactRank);
        out.add("numericalRank", asked.rank);
        out.add("parameters", asked.parameters);
        out.add("loss", asked.loss);
        out.add("lowerBound", scope.task.lowerBound);
        out.add("optimality", asked.optimality);
        out.add("iterations", asked.iterations);
        if (asked.threshold > 0) out.add("threshold", asked.threshold);
        out.add("largestPartial", asked.generated.largestPartial);
    }
    void addOther() {
        const Frame& other = *result.other;
        out.add("capacityOther", {countedAxis("lag", setup.length)}, other.capacity);
        out.add("totalCapacityOther", other.exactRank);
        out.add("numericalRankOther", other.rank);
        out.add("lossOther", other.loss);
        out.add("optimalityOther", other.optimality);
    }
    void addWalk() {
        rows("capacityAlong", "lag", &Frame::capacity);
        rows("capacityInBasisAlong", "component", &Frame::inBasis);
        if (!asked.eigenvalues.empty()) rows("eigenvaluesAlong", "index", &Frame::eigenvalues);
        rows("coefficientsAlong", "lag", &Frame::coefficients);
        addAutocovariances();
        column("totalCapacityAlong", &Frame::exactRank);
        column("numericalRankAlong", &Frame::rank);
        column("parametersAlong", &Frame::parameters);
        column("lossAlong", &Frame::loss);
        column("optimalityAlong", &Frame::optimality);
    }

    const WalkSetup& setup;
    const Scope& scope;
    const WalkResult& result;
    const Frame& asked;
    FilledReport out;
    Axis walk;

private:
    void addAutocovariance() {
        const Axis lags = countedAxis("lag", setup.length + 1);
        out.add("autocovariance", {lags}, scope.autocovariance);
        if (!asked.generated.stable) return;
        const Vector& generated = asked.generated.autocovariance;
        out.add("modelAutocovariance", {lags}, generated);
        out.add("autocovarianceAbsoluteError", {lags}, distances(generated, scope.autocovariance));
        out.add("autocovarianceRelativeError", {lags}, relative(generated, scope.autocovariance)).mayBeUndefined = true;
    }
    void rows(const char* name, const char* axis, Vector Frame::*member) {
        Vector values;
        for (const Frame& frame : result.frames) values.insert(values.end(), (frame.*member).begin(), (frame.*member).end());
        out.add(name, {walk, countedAxis(axis, (asked.*member).size())}, std::move(values));
    }
    void column(const char* name, double Frame::*member) {
        Vector values;
        for (const Frame& frame : result.frames) values.push_back(frame.*member);
        out.add(name, {walk}, std::move(values));
    }
    void addAutocovariances() {
        Vector values;
        for (const Frame& frame : result.frames) {
            const Vector& row = frame.generated.autocovariance;
            frame.generated.stable ? values.insert(values.end(), row.begin(), row.end())
                                   : values.insert(values.end(), setup.length + 1, kNone);
        }
        out.add("modelAutocovarianceAlong", {walk, countedAxis("lag", setup.length + 1)}, std::move(values)).mayBeUndefined = true;
    }
};

/// The least number of newest lags that hold half of the capacity.
std::size_t halfOf(const Vector& capacity, double total) {
    double sum = 0;
    for (std::size_t lag = 0; lag < capacity.size(); ++lag)
        if ((sum += capacity[lag]) >= total / 2) return lag + 1;
    return capacity.size();
}

std::string power(double value) { return value > 0 ? powerInWords(std::log10(value)) : "0"; }

std::string summaryOf(const Writer& w, const Subject& subject) {
    const Frame& f = w.asked;
    std::string text = subject.name(w.setup.channels) + " has " + inWords(f.parameters, 6) + " weights and a capacity of " +
                       inWords(f.exactRank, 6) + " over " + std::to_string(w.setup.length) + " lags";
    if (f.rank != f.exactRank) text += ", of which floating point finds " + inWords(f.rank, 6);
    const std::size_t half = halfOf(f.capacity, f.rank);
    text += half == 1 ? "; half of it lies on the newest lag. " : "; half of it lies on the newest " + std::to_string(half) + " lags. ";
    text += f.optimality <= kOptimal ? "At this optimum"
                                     : "At these weights, which are no optimum (optimality " + inWords(f.optimality, 2) + "),";
    text += " the loss is " + power(f.loss) + " beyond the lower bound " + inWords(w.scope.task.lowerBound, 4) + ".";
    if (w.result.other)
        text +=
            " The model compared has capacity " + inWords(w.result.other->exactRank, 6) + " and loss " + power(w.result.other->loss) + ".";
    return text;
}

}  // namespace

Report walkReport(const WalkSetup& setup, const Scope& scope, const Subject& subject, const WalkResult& result, bool finished) {
    Report report;
    if (result.asked) {
        Writer writer(setup, scope, result);
        writer.addAsked();
        writer.addScalars();
        if (result.other) writer.addOther();
        writer.addWalk();
        subject.addOwn(writer.out, writer.walk, result.frames);
        report = std::move(writer.out.report);
        report.summary = summaryOf(writer, subject);
        if (!result.asked->generated.stable)
            report.warnings.push_back("The model is no stable autoregression: an autocovariance of its own does not exist.");
        if (setup.withNetwork && finished) report.network = subject.network(*result.asked);
    }
    report.warnings.insert(report.warnings.begin(), setup.warnings.begin(), setup.warnings.end());
    report.status = finished ? Status::Ok : Status::Partial;
    report.message = finished ? "" : "Optima are still being looked for.";
    return report;
}

}  // namespace kappaflow::linear
