#pragma once
#include <limits>
#include <string>

#include "scene/filled_report.h"
#include "scenes/one_network/network_lens/model_setup.h"

namespace kappaflow::lens {

/// What is not defined somewhere.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// Operations that a lens may take: when it is the last word, and on the way while a network is trained.
inline constexpr double kFinalWork = 4e8, kPassingWork = 3e7;

inline Axis keyedAxis(std::string name, std::vector<std::string> keys) { return {std::move(name), {}, std::move(keys)}; }
inline Axis xyAxis() { return keyedAxis("xy", {"x", "y"}); }

/// One way of looking at a network, slice by slice. What it finds stands until it is started again and has finished.
class Lens {
public:
    virtual ~Lens() = default;
    /// Begins to look at a network, which stays as it is until the lens has finished, with about so many operations to spend.
    virtual void start(const Setup&, const Network&, double work) = 0;
    /// A slice of the work, at the most a layer; false when nothing is left.
    virtual bool step() = 0;
    /// Arrays and scalars; only once finished.
    virtual void addTo(FilledReport&) const = 0;
    /// Why it shows nothing, or less than all; "" otherwise.
    const std::string& note() const { return note_; }
    /// Ends a look that went beyond what can be computed.
    void giveUp(const std::string& why) {
        note_ = why;
        gaveUp_ = true;
    }
    bool gaveUp() const { return gaveUp_; }

protected:
    void beginNote(std::string text = "") {
        note_ = std::move(text);
        gaveUp_ = false;
    }
    std::string note_;

private:
    bool gaveUp_ = false;
};

}  // namespace kappaflow::lens
