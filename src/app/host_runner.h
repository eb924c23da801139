#pragma once
#include <string>
#include <vector>

#include "jobs/codec.h"
#include "jobs/runner.h"

namespace kappaflow {

/// A runner whose work is done by whoever embeds us (the page's worker): requests leave, events come back as bytes.
class HostRunner final : public Runner {
public:
    /// What the host is asked to do, in order.
    struct Order {
        bool start = false;  ///< false: cancel
        JobId job = 0;
        Request request;     ///< for encodeRequest, in a task of its own: a file may have megabytes
        std::string bundle;  ///< whose module is to compute it
    };

    void start(JobId, const Request&) override;
    void cancel() override;
    bool busy() const override { return running_ != 0; }
    std::vector<JobEvent> poll() override;

    std::vector<Order> takeOrders();
    /// An encoded JobEvent from the host. Events of other jobs than the running one are dropped; bytes that make no sense end
    /// the running job as failed.
    void deliver(Stream);

private:
    JobId running_ = 0;
    double progress_ = 0;
    std::vector<Order> orders_;
    std::vector<JobEvent> events_;
};

}  // namespace kappaflow
