#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "jobs/runner.h"

namespace kappaflow {
namespace {

/// What the polling thread and the computing thread share of one job. A cancelled job is forgotten by the polling side, so
/// an event that loses the race ends up in a box that nobody opens.
struct Mailbox {
    JobId id = 0;
    Request request;
    std::atomic<bool> cancelled{false};
    std::mutex mutex;
    std::vector<JobEvent> events;  ///< guarded by mutex
};

/// Adds an event to those not yet fetched: progress and partial results replace their elder ones, so that a reader who looks rarely
/// finds no queue.
void appendCoalesced(std::vector<JobEvent>& waiting, JobEvent event) {
    if (event.what == JobEvent::What::Progress || event.what == JobEvent::What::Partial)
        waiting.erase(std::remove_if(waiting.begin(), waiting.end(), [&](const JobEvent& e) { return e.what == event.what; }),
                      waiting.end());
    waiting.push_back(std::move(event));
}

/// One thread for all jobs, one after the other: a job that follows a cancelled one waits for its next tick, and the two never compute
/// at the same time.
class ThreadRunner final : public Runner {
public:
    explicit ThreadRunner(Compute computes) : compute_(std::move(computes)), thread_([this] { serve(); }) {}

    ~ThreadRunner() override {
        ThreadRunner::cancel();
        {
            const std::lock_guard lock(mutex_);
            quit_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }

    void start(JobId id, const Request& request) override {
        current_ = std::make_shared<Mailbox>();
        current_->id = id;
        current_->request = request;
        {
            const std::lock_guard lock(mutex_);
            next_ = current_;
        }
        wake_.notify_one();
    }

    void cancel() override {
        if (!current_) return;
        current_->cancelled = true;
        current_.reset();
    }

    bool busy() const override { return current_ != nullptr; }

    std::vector<JobEvent> poll() override {
        std::vector<JobEvent> events;
        if (!current_) return events;
        {
            const std::lock_guard lock(current_->mutex);
            events.swap(current_->events);
        }
        const bool over = !events.empty() && (events.back().what == JobEvent::What::Done || events.back().what == JobEvent::What::Failed);
        if (over) current_.reset();
        return events;
    }

private:
    void serve() {
        for (;;) {
            std::shared_ptr<Mailbox> box;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [this] { return quit_ || next_; });
                if (quit_) return;
                box = std::move(next_);
                next_.reset();
            }
            compute(*box);
        }
    }

    void compute(Mailbox& box) {
        const auto send = [&](JobEvent event) {
            const std::lock_guard lock(box.mutex);
            appendCoalesced(box.events, std::move(event));
        };
        JobProgress(box.id, leftovers_, send, &box.cancelled).run(box.request, compute_);
    }

    Compute compute_;
    Leftovers leftovers_;               ///< computing thread only
    std::shared_ptr<Mailbox> current_;  ///< polling thread only
    std::mutex mutex_;
    std::condition_variable wake_;
    std::shared_ptr<Mailbox> next_;  ///< guarded by mutex_
    bool quit_ = false;              ///< guarded by mutex_
    std::thread thread_;             ///< last: starts when all else is there
};

}  // namespace

std::unique_ptr<Runner> makeThreadRunner(Compute compute) { return std::make_unique<ThreadRunner>(std::move(compute)); }

}  // namespace kappaflow
