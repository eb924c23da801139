#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/linear/constraints.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_model.h"
#include "core/linear/linear_task.h"
#include "core/linear/optimum.h"
#include "scene/filled_report.h"
#include "scenes/stepwise.h"
#include "scenes/linear_models/declaration_linear.h"
#include "scenes/linear_models/model_task.h"

namespace kappaflow {
namespace capacity_sweep {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// A request read once and for all.
struct Setup {
    bool recurrent = false, random = true;
    int layers = 6;
    std::size_t length = 64;
    std::vector<int> channels;  ///< rising
    GaussianProcess process;
    OptimumOptions options;  ///< of the random starts

    std::unique_ptr<LinearModel> model(int channels) const;
    /// In double, from the sizes alone.
    double parameters(int channels) const;
};

/// Where a search is, or ended.
struct Reached {
    double loss = 0;
    std::optional<double> optimality;  ///< ‖KᵀX‖/‖X‖, once it has ended
    bool converged = false;
    double iterations = 0;
    std::vector<double> history;
};

/// One number of channels.
class Point {
public:
    Point(const Setup&, const LinearTask&, int channels);
    int channels() const { return channels_; }
    double parameters() const { return static_cast<double>(model_->parameters()); }
    double exactRank() const { return exactRank_; }

    /// Some milliseconds of a search; false when it has ended. `fewer`: the point of fewer channels before, null for the first.
    bool seekOptimum(const Point* fewer);
    bool descend();
    /// Share of its iterations, 0 … 1.
    double progress() const;

    std::optional<Reached> optimum, random;  ///< none before the first slice
    std::optional<double> numericalRank;

private:
    void takeOver(const Point& fewer);
    void check(Reached&, const std::vector<double>& weights, bool ofOptimum);
    bool advance(OptimumSearch&, Reached&) const;

    const Setup& setup_;
    const LinearTask& task_;
    int channels_;
    std::unique_ptr<LinearModel> model_;
    double exactRank_ = 0;
    std::unique_ptr<OptimumSearch> search_;
    std::vector<double> best_;  ///< weights of `optimum`, of recurrent units
};

/// What was found so far.
struct Sweep {
    LinearTask task;
    std::vector<std::unique_ptr<Point>> points;
    FullModel full;
    std::optional<double> fullyConnected;
};

std::vector<int> risingWholeNumbers(const std::vector<double>& list) {
    std::vector<int> numbers;
    for (double value : list) numbers.push_back(static_cast<int>(std::lround(value)));
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (numbers.empty()) numbers.push_back(1);
    return numbers;
}

/// Multiply-adds of one loss with its gradient. Layer l of a tree reaches 2^{L−l} lags from above, so that the sizes of all layers
/// but the lowest add up to those of one: four times Σ 2c²·2^{L−l}.
double slopeWork(const Setup& s, int c) {
    const double n = static_cast<double>(s.length), squared = static_cast<double>(c) * c;
    return 2 * n * n + (s.recurrent ? 12.0 * n * c : 4 * (n * squared / 2 + 3 * n * c));
}

/// L-BFGS: a line search of 1.2 evaluations on average, and 40 multiply-adds a weight in its two loops.
double randomWork(const Setup& s, int c) {
    return s.options.restarts * s.options.iterations * (1.2 * slopeWork(s, c) + 60 * s.parameters(c) + 2000);
}

double bestWork(const Setup& s, int c) {
    const double n = static_cast<double>(s.length), rank = std::min(n, 2.0 * c), p = s.parameters(c);
    if (s.recurrent) return 150 * (n * n * p + 8 * p * n * rank);
    return c >= n / 8 ? 20 * p + 60 * n * n : 40 * 100 * (n * n + 2 * n * rank * rank) + 50 * n * n * n;
}

std::unique_ptr<LinearModel> Setup::model(int c) const {
    if (recurrent) return std::make_unique<RecurrentModel>(length, static_cast<std::size_t>(c));
    return std::make_unique<HierarchicalModel>(dilatedTree(layers, 2, c));
}

double Setup::parameters(int c) const { return recurrent ? 3.0 * c : parameterCount(dilatedTree(layers, 2, c)); }

Setup readSetup(const Values& v) {
    Setup s;
    s.recurrent = v.is("model", "recurrent");
    s.random = v.is("start", "random");
    s.layers = v.integer("layers");
    s.length = s.recurrent ? static_cast<std::size_t>(v.integer("length")) : std::size_t{1} << s.layers;
    s.channels = risingWholeNumbers(v.list("channelsList"));
    s.process = linear::processOf(v);
    s.options.start = OptimumStart::Random;
    s.options.seed = v.seed();
    s.options.restarts = v.integer("restarts");
    s.options.iterations = v.integer("iterations");
    return s;
}

/// Losses of a descent are reported after 0, 1, 2, 4, 8, … iterations with three steps between, at most this many.
std::vector<int> reportedIterations(int most) {
    std::vector<int> all;
    for (int i = 0; i < most; i = std::max(i + 1, static_cast<int>(i * 1.25))) all.push_back(i);
    all.push_back(most);
    return all;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    Cost cost{0, 1e6};
    for (int c : s.channels) {
        cost.operations += bestWork(s, c) + (s.random ? randomWork(s, c) : 0);
        cost.bytes = std::max(cost.bytes, s.parameters(c) * 8 * 36 + 1e6);
    }
    return cost;
}

std::string costliestOf(const Request& request) {
    const Setup s = readSetup(request.params);
    if (s.channels.back() > 64) return "channelsList";
    return s.options.restarts > 1 ? "restarts" : "iterations";
}

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
    const auto convergedOf = [](const std::optional<Reached>& at) { return at && at->optimality ? (at->converged ? 1.0 : 0.0) : kNone; };
    b.byChannels("converged", [&](const Point& p) { return convergedOf(b.asked(p)); });
    b.byChannels("convergedOptimal", [&](const Point& p) { return convergedOf(p.optimum); });
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

/// An optimum only by its check. Powers of n different recurrent weights are an invertible Vandermonde matrix: n units reach any A*.
std::string bestInWords(const Setup& setup, const Point& point, double rounding) {
    const double loss = point.optimum->loss;
    const std::string value = loss <= rounding ? "0" : powerInWords(std::log10(loss));
    if (point.optimum->converged) return "the optimum is " + value;
    const bool reachesAll = setup.recurrent && static_cast<Size>(point.channels()) >= setup.length;
    return "the best found is " + value + (reachesAll ? " and the optimum 0" : "");
}

/// Where random start and optimum, or the best found, are furthest apart.
std::string comparisonSentence(const Setup& setup, const Sweep& sweep, double rounding) {
    const Point* worst = nullptr;
    double largest = 1.001;
    for (const auto& point : sweep.points) {
        if (!point->random || !point->random->optimality || !point->optimum) continue;
        const double ratio = point->random->loss / std::max(point->optimum->loss, rounding);
        if (ratio > largest) largest = ratio, worst = point.get();
    }
    const bool all = std::all_of(sweep.points.begin(), sweep.points.end(), [](const auto& p) { return p->optimum->converged; });
    if (!worst)
        return std::string("L-BFGS from random weights comes ") + (all ? "down to the optimum" : "as low as the best found") +
               " everywhere.";
    return "With " + channelsInWords(worst->channels()) + " L-BFGS from random weights ends at a loss of " +
           powerInWords(std::log10(worst->random->loss)) + " after " + inWords(worst->random->iterations, 5) + " iterations, where " +
           bestInWords(setup, *worst, rounding) + (setup.options.restarts > 1 ? ", the best of its restarts counted." : ".");
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

class SweepComputation final : public Computation {
public:
    explicit SweepComputation(const Request& request)
        : setup_(readSetup(request.params)), sweep_{predictionTask(setup_.process, setup_.length), {}, FullModel(setup_.length), {}} {
        for (int c : setup_.channels) sweep_.points.push_back(std::make_unique<Point>(setup_, sweep_.task, c));
    }

    // Cheap things first: all optima, full connection, then the random starts from few channels to many.
    bool step() override {
        auto& points = sweep_.points;
        if (optima_ < points.size()) {
            if (!points[optima_]->seekOptimum(optima_ > 0 ? points[optima_ - 1].get() : nullptr)) ++optima_;
        } else if (!sweep_.fullyConnected) {
            auto options = setup_.options;
            options.start = OptimumStart::Random;
            sweep_.fullyConnected = findOptimum(sweep_.full, sweep_.task, options).loss;
        } else if (setup_.random && random_ < points.size()) {
            if (!points[random_]->descend()) ++random_;
        }
        finished_ = optima_ == points.size() && sweep_.fullyConnected && (!setup_.random || random_ == points.size());
        return !finished_;
    }
    double progress() const override {
        if (finished_) return 1;
        double done = 0, all = 0;
        for (const auto& point : sweep_.points) {
            const double share = point->parameters() + 500;
            done += share * point->progress();
            all += share;
        }
        return done / all;
    }
    Report report() const override { return makeReport(setup_, sweep_, finished_); }

private:
    Setup setup_;
    Sweep sweep_;
    std::size_t optima_ = 0, random_ = 0;
    bool finished_ = false;
};

std::unique_ptr<Computation> startSweep(const Request& request) { return std::make_unique<SweepComputation>(request); }

/// Multiply-adds of one slice.
constexpr double kSliceWork = 3e6;
/// Iterations towards the optimum: trees take a dozen; recurrent units up to forty each, until they can no longer be told apart.
int mostIterations(const Setup& setup, int channels) { return setup.recurrent ? 60 + 40 * std::min(channels, 40) : 240; }
/// Searches end at the loss that is rounding, or a little above it where the last step did not quite lead there.
constexpr double kRounding = 100;

Point::Point(const Setup& setup, const LinearTask& task, int channels)
    : setup_(setup),
      task_(task),
      channels_(channels),
      model_(setup.model(channels)),
      exactRank_(static_cast<double>(model_->exactRank())) {}

bool Point::advance(OptimumSearch& search, Reached& reached) const {
    const double work = optimumOperations(*model_, setup_.options) / setup_.options.restarts / setup_.options.iterations;
    bool more = true;
    for (double done = 0; more && done < kSliceWork; done += work) more = search.step();
    reached.loss = search.loss();
    reached.history = search.history();
    reached.iterations = static_cast<double>(reached.history.size() - 1);
    return more;
}

/// Fewer units that came lower, the others silent: they hear the input, and nobody hears them.
void Point::takeOver(const Point& fewer) {
    const Size c = static_cast<Size>(channels_), known = static_cast<Size>(fewer.channels_);
    best_.assign(3 * c, 0.0);
    for (Size layer = 0; layer < 3; ++layer)
        for (Size j = 0; j < c; ++j) {
            const double silent = layer == 0 ? 1 : layer == 1 ? -1 + (2.0 * static_cast<double>(j) + 1) / static_cast<double>(c) : 0;
            best_[layer * c + j] = j < known ? fewer.best_[layer * known + j] : silent;
        }
    optimum->loss = taskLoss(task_, model_->response(best_));
    optimum->history.push_back(optimum->loss);
    ++optimum->iterations;
}

bool Point::seekOptimum(const Point* fewer) {
    if (!optimum) {
        OptimumOptions best;
        best.iterations = mostIterations(setup_, channels_);
        search_ = std::make_unique<OptimumSearch>(*model_, task_, best);
        optimum.emplace();
    }
    if (advance(*search_, *optimum)) return true;
    best_ = search_->weights();
    search_.reset();
    if (setup_.recurrent && fewer && fewer->optimum->loss < optimum->loss) takeOver(*fewer);
    check(*optimum, best_, true);
    if (!setup_.recurrent) best_ = {};
    return false;
}

bool Point::descend() {
    if (!random) {
        search_ = std::make_unique<OptimumSearch>(*model_, task_, setup_.options);
        random.emplace();
    }
    if (advance(*search_, *random)) return true;
    check(*random, search_->weights(), false);
    search_.reset();
    return false;
}

double Point::progress() const {
    if (!random) return 0;
    return search_ ? search_->progress() : 1;
}

void Point::check(Reached& reached, const std::vector<double>& weights, bool ofOptimum) {
    const auto response = model_->response(weights);
    double rank = exactRank_;
    // Where the closed form says that the constraints are the whole space, no Jacobian is formed: K is the identity.
    if (!setup_.recurrent && exactRank_ == static_cast<double>(model_->inputs())) {
        reached.optimality = reached.loss <= kRounding * roundingLoss(task_) ? 0 : 1;
    } else {
        const Constraints K = constraints(*model_, weights, task_.covariance);
        reached.optimality = optimality(K, task_, response);
        rank = static_cast<double>(K.rank);
    }
    reached.converged = *reached.optimality <= linear::kOptimal || reached.loss <= kRounding * roundingLoss(task_);
    if (ofOptimum) numericalRank = rank;
}

}  // namespace
}  // namespace capacity_sweep

Model capacity_sweep_model() { return stepwise<capacity_sweep::costOf, capacity_sweep::costliestOf, capacity_sweep::startSweep>("capacity-sweep"); }

}  // namespace kappaflow
