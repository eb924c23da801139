#pragma once
// With the GNU C library only.
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "core/base/errors.h"
#include "scene/progress.h"
#include "scene/scene.h"
#include "support/random_states.h"

namespace kappaflow {

/// Estimates count about 1e9 operations a second, which is what wasm does; natively a machine of today does twice that.
inline constexpr double kRate = 2e9;
inline constexpr unsigned kPatience = 60;  // seconds

struct Taken {
    double operations = -1, bytes = 0;  ///< no operations: it was refused, or took longer than the patience
    double piece = 0;                   ///< seconds, the longest
    bool ended = true;                  ///< not by a signal
};

inline double residentBytes(const char* which) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == which && status >> word) return 1024 * std::atof(word.c_str());
    return 0;
}

inline double processorSeconds() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

class Watch final : public Progress {
public:
    double longest() const { return std::max(longest_, processorSeconds() - seen_); }

private:
    bool stopped() const override {
        using Clock = std::chrono::steady_clock;
        const auto now = Clock::now();
        if (now - looked_ < std::chrono::milliseconds(1)) return false;  // the processor's clock takes longer to ask
        const double seconds = processorSeconds();
        longest_ = std::max(longest_, seconds - seen_);
        looked_ = now, seen_ = seconds;
        return false;
    }
    mutable std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
    mutable double seen_ = processorSeconds(), longest_ = 0;
};

/// What running it takes, in a process of its own.
inline Taken takenBy(const OpenRequest& opened) {
    int ends[2];
    if (pipe(ends) != 0) return {};
    const pid_t child = fork();
    if (child == 0) {
        alarm(kPatience);
        malloc_trim(0);                               // what was freed before may be used again
        std::ofstream("/proc/self/clear_refs") << 5;  // the largest resident memory is what it is now
        const double before = residentBytes("VmRSS:"), start = processorSeconds();
        Taken taken;
        try {
            Watch progress;
            opened.run(progress);
            taken.piece = progress.longest();
            taken.operations = kRate * (processorSeconds() - start);
        } catch (const InputError&) {
        }
        taken.bytes = residentBytes("VmHWM:") - before;
        _exit(write(ends[1], &taken, sizeof taken) == sizeof taken ? 0 : 1);
    }
    close(ends[1]);
    Taken taken;
    if (read(ends[0], &taken, sizeof taken) != sizeof taken) taken = {};
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    taken.ended = WIFEXITED(status);
    return taken;
}

/// Half of the params as they are by default; sizes in equal ratios, so that most requests are within the limit.
inline State costedState(const Declaration& scene, Rng& rng) {
    State state = initialState(scene.id);
    for (const bool dependent : {false, true})
        for (const auto& param : scene.params) {
            if ((param.beside != nullptr) != dependent || rng.below(2) == 0) continue;
            const Param here = adapted(param, state.params);
            Value value = randomValue(here, rng);
            const bool size = here.kind == Kind::Integer && here.min >= 0 && here.max > 16 && rng.below(4) > 0;
            if (size) value = std::floor((here.min + 1) * std::pow((here.max + 1) / (here.min + 1), rng.uniform())) - 1 + 0.0;
            if (size && here.odd && std::fmod(std::get<double>(value), 2) == 0) value = std::get<double>(value) + 1;
            state.params.set(param.key, admitValue(here, value).value);
        }
    return state;
}

}  // namespace kappaflow
