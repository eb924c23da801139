#include "jobs/running_job.h"

#include <algorithm>
#include <new>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

constexpr std::chrono::milliseconds kBetweenPartials{100};
constexpr double kSmallestProgress = 0.002;

}  // namespace

RunningJob::RunningJob(JobId id, Request request, StartComputation start, std::unique_ptr<Computation> previous)
    : id_(id), request_(std::move(request)), start_(std::move(start)), previous_(std::move(previous)) {}

std::unique_ptr<Computation> RunningJob::release() {
    auto& kept = computation_ ? computation_ : previous_;
    return kept && kept->reusable() ? std::move(kept) : nullptr;
}

bool RunningJob::advance(std::vector<JobEvent>& events) {
    try {
        return work(events);
    } catch (const InputError& error) {
        fail(events, error.what());
    } catch (const Cancelled&) {
        fail(events, "The computation was stopped.");
    } catch (const std::bad_alloc&) {
        fail(events, "There is not enough memory for this; lower the sizes.");
    } catch (const std::exception& error) {
        fail(events, std::string("The computation failed: ") + error.what() + ".");
    } catch (...) {
        fail(events, "The computation failed for an unknown reason.");
    }
    return false;
}

bool RunningJob::work(std::vector<JobEvent>& events) {
    if (!computation_) {
        computation_ = start_(request_, std::move(previous_));
        lastPartial_ = std::chrono::steady_clock::now();
        return true;
    }
    if (computation_->step()) {
        appendProgress(events);
        appendPartial(events);
        return true;
    }
    events.push_back({JobEvent::What::Done, id_, 1, computation_->report(), ""});
    return false;
}

void RunningJob::appendProgress(std::vector<JobEvent>& events) {
    const double now = std::min(computation_->progress(), 1.0);
    // Also false for a progress that is not a number.
    if (!(now >= progress_ + kSmallestProgress)) return;
    progress_ = now;
    events.push_back({JobEvent::What::Progress, id_, progress_, {}, ""});
}

void RunningJob::appendPartial(std::vector<JobEvent>& events) {
    const auto now = std::chrono::steady_clock::now();
    if (now - lastPartial_ < kBetweenPartials) return;
    JobEvent partial = partialEvent(id_, progress_, computation_->report());
    // Counted from the end of report(): when making one is slow, the steps still get most of the time.
    lastPartial_ = std::chrono::steady_clock::now() + (std::chrono::steady_clock::now() - now) * 2;
    if (partial.what == JobEvent::What::Partial) events.push_back(std::move(partial));
}

void RunningJob::fail(std::vector<JobEvent>& events, std::string sentence) {
    computation_.reset();
    events.push_back({JobEvent::What::Failed, id_, progress_, {}, std::move(sentence)});
}

void appendCoalesced(std::vector<JobEvent>& waiting, std::vector<JobEvent>&& fresh) {
    for (auto& event : fresh) {
        const bool replaces = event.what == JobEvent::What::Progress || event.what == JobEvent::What::Partial;
        if (replaces)
            waiting.erase(std::remove_if(waiting.begin(), waiting.end(), [&](const JobEvent& e) { return e.what == event.what; }),
                          waiting.end());
        waiting.push_back(std::move(event));
    }
    fresh.clear();
}

namespace {

class InlineRunner final : public Runner {
public:
    InlineRunner(std::chrono::microseconds slice, StartComputation start) : slice_(slice), start_(std::move(start)) {}

    void start(JobId id, const Request& request) override { job_.emplace(id, request, start_, std::move(last_)); }
    void cancel() override {
        if (job_) finish();
    }
    bool busy() const override { return job_.has_value(); }

    std::vector<JobEvent> poll() override {
        std::vector<JobEvent> events, fresh;
        const auto end = std::chrono::steady_clock::now() + slice_;
        while (job_) {
            const bool more = job_->advance(fresh);
            appendCoalesced(events, std::move(fresh));
            if (!more)
                finish();
            else if (std::chrono::steady_clock::now() >= end)
                break;
        }
        return events;
    }

private:
    void finish() {
        last_ = job_->release();
        job_.reset();
    }

    std::chrono::microseconds slice_;
    StartComputation start_;
    std::unique_ptr<Computation> last_;
    std::optional<RunningJob> job_;
};

}  // namespace

std::unique_ptr<Runner> makeInlineRunner(std::chrono::microseconds slice, StartComputation start) {
    return std::make_unique<InlineRunner>(slice, std::move(start));
}

}  // namespace kappaflow
