#pragma once
#include <cmath>
#include <vector>

namespace kappaflow {

/// Mean and standard error of vectors that come one draw at a time (Welford's update, which loses no digits to large means).
class EnsembleMean {
public:
    void add(const std::vector<double>& values) {
        if (count_ == 0) {
            mean_.assign(values.size(), 0);
            squares_.assign(values.size(), 0);
        }
        ++count_;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double difference = values[i] - mean_[i];
            mean_[i] += difference / count_;
            squares_[i] += difference * (values[i] - mean_[i]);
        }
    }
    double count() const { return count_; }
    const std::vector<double>& mean() const { return mean_; }
    /// Standard deviation between draws over √draws; zeros for fewer than two.
    std::vector<double> standardError() const {
        auto errors = squares_;
        for (double& e : errors) e = count_ > 1 ? std::sqrt(e / (count_ - 1) / count_) : 0;
        return errors;
    }

private:
    double count_ = 0;
    std::vector<double> mean_, squares_;
};

}  // namespace kappaflow
