#include "scenes/linear_models/capacity_sweep/model_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "scene/filled_report.h"

namespace kappaflow::capacity_sweep {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class Builder : public FilledReport {
public:
    Builder(const Setup& setup, const Sweep& sweep) : FilledReport("capacity-sweep"), setup_(setup), sweep_(sweep) {}

    Axis channels() const { return {"channels", Vector(setup_.channels.begin(), setup_.channels.end()), {}}; }
    /// A number of each point; NaN where it is not known yet.
    template <class Of>
    void byChannels(const char* name, Of&& of) {
        Vector values;
        for (const auto& point : sweep_.points) values.push_back(of(*point));
        add(name, {channels()}, std::move(values)).mayBeUndefined = true;
    }
    /// Of the search that was asked for.
    std::optional<Reached> asked(const Point& point) const { return setup_.random ? point.random : point.optimum; }

private:
    const Setup& setup_;
    const Sweep& sweep_;
};

void addReached(Builder& b) {
    const auto lossOf = [](const std::optional<Reached>& at) { return at ? at->loss : kNone; };
    const auto optimalityOf = [](const std::optional<Reached>& at) { return at && at->optimality ? *at->optimality : kNone; };
    b.byChannels("loss", [&](const Point& p) { return lossOf(b.asked(p)); });
    b.byChannels("lossOptimal", [&](const Point& p) { return lossOf(p.optimum); });
    b.byChannels("optimality", [&](const Point& p) { return optimalityOf(b.asked(p)); });
    b.byChannels("optimalityOptimal", [&](const Point& p) { return optimalityOf(p.optimum); });
    b.byChannels("converged", [&](const Point& p) {
        const auto at = b.asked(p);
        return at && at->optimality ? (at->converged ? 1.0 : 0.0) : kNone;
    });
    b.byChannels("iterationsTaken", [&](const Point& p) {
        const auto at = b.asked(p);
        return at ? at->iterations : kNone;
    });
}

void addDescents(Builder& b, const Setup& setup, const Sweep& sweep) {
    Size longest = 1;
    for (const auto& point : sweep.points)
        if (const auto at = b.asked(*point)) longest = std::max(longest, at->history.size() - 1);
    const auto iterations = reportedIterations(static_cast<int>(setup.random ? static_cast<Size>(setup.options.iterations) : longest));
    Vector losses;
    for (const auto& point : sweep.points) {
        const auto at = b.asked(*point);
        for (Size k = 0; k < iterations.size(); ++k) {
            const Size i = static_cast<Size>(iterations[k]);
            // The end of a descent that stopped between two reported iterations is drawn at the second.
            const bool ends = at && i >= at->history.size() && k > 0 && static_cast<Size>(iterations[k - 1]) + 1 < at->history.size();
            losses.push_back(at && i < at->history.size() ? at->history[i] : ends ? at->history.back() : kNone);
        }
    }
    b.add("descent", {b.channels(), {"iteration", Vector(iterations.begin(), iterations.end()), {}}}, std::move(losses)).mayBeUndefined =
        true;
}

/// Least-squares slope of log L against log c over the losses above rounding; none below two of them.
std::optional<double> exponentOf(const Setup& setup, const Vector& losses, double rounding) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (Size i = 0; i < losses.size(); ++i) {
        if (!(losses[i] > 10 * rounding)) continue;
        const double x = portableLog(setup.channels[i]), y = portableLog(losses[i]);
        ++n, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    if (n < 2) return std::nullopt;
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

std::string channelsInWords(int c) { return std::to_string(c) + (c == 1 ? " channel" : " channels"); }

/// Where random start and optimum are furthest apart.
std::string comparisonSentence(const Setup& setup, const Sweep& sweep, double rounding) {
    const Point* worst = nullptr;
    double largest = 1.001;
    for (const auto& point : sweep.points) {
        if (!point->random || !point->random->optimality || !point->optimum) continue;
        const double ratio = point->random->loss / std::max(point->optimum->loss, rounding);
        if (ratio > largest) largest = ratio, worst = point.get();
    }
    if (!worst) return "L-BFGS from random weights reaches the optimum everywhere.";
    const bool zero = worst->optimum->loss <= rounding;
    return "With " + channelsInWords(worst->channels()) + " L-BFGS from random weights ends at a loss of " +
           powerInWords(std::log10(worst->random->loss)) + " after " + inWords(worst->random->iterations, 5) +
           " iterations, where the optimum is " + (zero ? "0" : powerInWords(std::log10(worst->optimum->loss))) +
           (setup.options.restarts > 1 ? ", the best of its restarts counted." : ".");
}

std::string capacitySentence(const Setup& setup, const Sweep& sweep) {
    const double n = static_cast<double>(setup.length);
    for (const auto& point : sweep.points)
        if (point->exactRank() >= n) {
            std::string text = "The capacity reaches n = " + inWords(n) + " with " + channelsInWords(point->channels()) + " and " +
                               inWords(point->parameters(), 6) + " weights";
            if (point->numericalRank && *point->numericalRank < n)
                text += ", of which double precision finds " + inWords(*point->numericalRank);
            return text + ".";
        }
    const Point& last = *sweep.points.back();
    return "With " + channelsInWords(last.channels()) + " the capacity is " + inWords(last.exactRank(), 6) + " of n = " + inWords(n) + ".";
}

}  // namespace

Report makeReport(const Setup& setup, const Sweep& sweep, bool finished) {
    Builder b(setup, sweep);
    b.report.status = finished ? Status::Ok : Status::Partial;
    b.report.message = finished ? "" : "The searches are still on their way.";
    const double rounding = roundingLoss(sweep.task);
    b.byChannels("totalCapacity", [](const Point& p) { return p.exactRank(); });
    b.byChannels("numericalRank", [](const Point& p) { return p.numericalRank.value_or(kNone); });
    b.byChannels("parameters", [](const Point& p) { return p.parameters(); });
    addReached(b);
    addDescents(b, setup, sweep);
    b.add("lowerBound", sweep.task.lowerBound);
    b.add("roundingLoss", rounding);
    if (sweep.fullyConnected) b.add("fullyConnectedLoss", *sweep.fullyConnected);
    if (const auto exponent = exponentOf(setup, b.report.array("loss")->values, rounding)) b.add("exponent", *exponent);
    b.report.summary = capacitySentence(setup, sweep) + (setup.random && finished ? " " + comparisonSentence(setup, sweep, rounding) : "");
    return std::move(b.report);
}

}  // namespace kappaflow::capacity_sweep
