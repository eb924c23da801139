#pragma once
#include <atomic>
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
    Report report;        ///< Partial, Done; of Failed only params: the nearest that would be admitted, or none
    std::string message;  ///< Failed: one sentence
};

/// A partial result; mere progress while nothing in it is to be seen, so that what is on screen stays.
inline JobEvent partialEvent(JobId job, double progress, Report report) {
    if (report.arrays.empty() && report.scalars.empty()) return {JobEvent::What::Progress, job, progress, {}, ""};
    return {JobEvent::What::Partial, job, progress, std::move(report), ""};
}

/// Runs one request at a time somewhere: in a thread or a Web Worker.
/// Contract (one test for all): events of a job come in order, progress never falls, exactly one Done or Failed ends it; after
/// cancel() no event of that job arrives; a runner whose worker died reports Failed and is usable again. What a job leaves for the
/// next (Progress::reuse) stays with the runner.
class Runner {
public:
    virtual ~Runner() = default;
    /// Only when not busy().
    virtual void start(JobId, const Request&) = 0;
    virtual void cancel() = 0;
    virtual bool busy() const = 0;
    /// Takes the events since the last poll.
    virtual std::vector<JobEvent> poll() = 0;
};

/// How a request is computed; runRequest outside tests.
using Compute = std::function<Report(const Request&, Progress&)>;

/// A superseded job that is older has no claim to finish: its result would come too late to be felt as an answer. A long one has shown
/// a partial result by then, so that a drag through long jobs shows something. Where none came, on a slow machine, the next is given
/// twice the time, up to the most.
inline constexpr std::chrono::milliseconds kGrace{100}, kMostGrace{400}, kPartialEvery{100}, kFirstPartial{60};
static_assert(kFirstPartial < kGrace);

/// Turns what a computation says into a job's events, each given to `send`: progress when it has risen, partial results at most every
/// 100 ms, the first after 60 ms.
class JobProgress final : public Progress {
public:
    JobProgress(JobId job, Leftovers& leftovers, std::function<void(JobEvent)> send, const std::atomic<bool>* cancelled = nullptr);
    /// Computes, and sends the one event that ends the job. Nothing thrown by a computation leaves it.
    void run(const Request&, const Compute&);

private:
    using Clock = std::chrono::steady_clock;
    bool stopped() const override { return cancelled_ && *cancelled_; }
    void heard(double progress) override { send_({JobEvent::What::Progress, job_, progress, {}, ""}); }
    bool wantsPartial() override { return Clock::now() >= nextPartial_; }
    void publish(Report) override;
    void fail(std::string sentence, Values nearest = {});

    JobId job_;
    Leftovers& leftovers_;
    std::function<void(JobEvent)> send_;
    const std::atomic<bool>* cancelled_;
    Clock::time_point nextPartial_ = Clock::now() + kFirstPartial;
};

/// Cancelling lets the computation go on to its next tick, a few milliseconds; the destructor waits for that.
std::unique_ptr<Runner> makeThreadRunner(Compute = static_cast<Report (*)(const Request&, Progress&)>(runRequest));

/// One job running, one pending, the newest replacing it. A superseded job is let finish (a drag must see results) unless it
/// is older than 100 ms; then it is cancelled and the pending one starts. After such jobs of which nothing was seen it is 200, then 400 ms.
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
    void cancelSuperseded();
    std::unique_ptr<Runner> runner_;
    Clock clock_;
    std::optional<Request> pending_;
    JobId newest_ = 0;
    double startedAt_ = 0, grace_;  ///< seconds
};

}  // namespace kappaflow
