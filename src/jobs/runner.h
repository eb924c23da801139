#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scene/scene.h"

namespace kappaflow {

using JobId = std::uint64_t;

struct JobEvent {
    enum class What { Progress, Partial, Done, Failed } what = What::Progress;
    JobId job = 0;
    double progress = 0;
    Report report;        ///< Partial, Done
    std::string message;  ///< Failed: one sentence
};

/// A partial result; mere progress while nothing in it is to be seen, so that what is on screen stays.
inline JobEvent partialEvent(JobId job, double progress, Report report) {
    if (report.arrays.empty() && report.scalars.empty()) return {JobEvent::What::Progress, job, progress, {}, ""};
    return {JobEvent::What::Partial, job, progress, std::move(report), ""};
}

/// Runs one request at a time somewhere: in a thread, a Web Worker, or in slices on the spot.
/// Contract (one test for all): events of a job come in order, progress never falls, exactly one Done or Failed ends it; after
/// cancel() no event of that job arrives; a runner whose worker died reports Failed and is usable again. What a job can leave to the
/// next it does (Computation::reusable).
class Runner {
public:
    virtual ~Runner() = default;
    /// Only when not busy().
    virtual void start(JobId, const Request&) = 0;
    virtual void cancel() = 0;
    virtual bool busy() const = 0;
    /// Takes the events since the last poll. Inline runners do a slice of work here.
    virtual std::vector<JobEvent> poll() = 0;
};

/// How a runner gets at the computation of a request, given the reusable one before it or null; startRequest outside tests.
using StartComputation = std::function<std::unique_ptr<Computation>(const Request&, std::unique_ptr<Computation> previous)>;

/// Cancels between two steps; the destructor waits for the step under way, no longer.
std::unique_ptr<Runner> makeThreadRunner(StartComputation start = startRequest);
/// `slice`: how long one poll may compute; a single step is never cut.
std::unique_ptr<Runner> makeInlineRunner(std::chrono::microseconds slice = std::chrono::milliseconds(8),
                                         StartComputation start = startRequest);

/// One job running, one pending, the newest replacing it. A superseded job is let finish (a drag must see results) unless it
/// is older than 100 ms; then it is cancelled and the pending one starts.
class JobQueue {
public:
    using Clock = std::function<double()>;  ///< seconds
    explicit JobQueue(std::unique_ptr<Runner>, Clock);

    void submit(Request);
    void cancel();
    /// Moves things on; call once a frame.
    std::vector<JobEvent> poll();
    bool busy() const;                        ///< something is running or pending
    double runningFor() const;                ///< seconds, 0 when idle
    JobId newest() const { return newest_; }  ///< id of the job started last; 0 before the first

private:
    void startNow(const Request&);
    std::unique_ptr<Runner> runner_;
    Clock clock_;
    std::optional<Request> pending_;
    JobId newest_ = 0;
    double startedAt_ = 0;
};

}  // namespace kappaflow
