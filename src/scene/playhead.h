#pragma once
#include <optional>
#include <vector>

#include "scene/report.h"
#include "scene/scene.h"

namespace kappaflow {

/// What the timeline walks along: the values of a report's axis.
struct Track {
    std::vector<double> steps;  ///< ascending axis values, e.g. layers 0 … L
    bool backward = false;      ///< plays from the last step to the first
    double secondsPerStep = 0.4;
    bool whole = false;        ///< only whole values are shown: training steps
    int slowSteps = 0;         ///< the first so many take three times as long
    bool whenReached = false;  ///< see TimelineRow
    friend bool operator==(const Track&, const Track&) = default;
};

/// The track of a scene's timeline along a report of it; without steps where the report lacks the timeline's axis.
Track trackOf(const Declaration&, const TimelineRow&, const Report&);

/// Moves a timeline position: eased from step to step, to the end. The position itself lives in the
/// state (`at`, a value of the axis, continuous between steps); what is kept here is only how far a running motion has come.
/// "Time" counts steps in playing order: 0 is where playing starts.
class Playhead {
public:
    void setTrack(Track);
    const Track& track() const { return track_; }
    bool empty() const { return track_.steps.size() < 2; }
    std::size_t lastStep() const { return track_.steps.empty() ? 0 : track_.steps.size() - 1; }

    /// Time of an axis value (clamped to the track) and back.
    double timeOf(double at) const;
    double valueAt(double time) const;
    /// The axis step that is told at a value, counted along the axis (not in playing order): the nearest, or the one reached.
    std::size_t stepAt(double at) const;

    /// The position `seconds` later, while playing; from the end it starts over, unless it has just come there.
    double play(double at, double seconds);
    /// Whether playing has come to the end.
    bool ended() const { return clock_ && *clock_ >= static_cast<double>(lastStep()); }
    /// Starts an eased move to the next (+1) or previous (−1) step in playing order.
    void step(double at, int direction);
    bool stepping() const { return target_.has_value(); }
    /// The position `seconds` later in a move begun by step().
    double glide(double at, double seconds);
    /// The reader took the position in hand: forget running motions.
    void release();

    /// Seconds one step takes while playing: as declared, but a run never takes longer than 20 s.
    double stepSeconds() const;
    /// Seconds of playing from one end to the other, slow steps included.
    double duration() const;
    /// Where playing stands after a share (0 … 1) of them.
    double valueAfter(double share) const;

private:
    double slowSteps() const;
    double between(double time) const;

    Track track_;
    std::optional<double> clock_;   ///< linear time behind the eased position while playing
    double shown_ = 0;              ///< the position play() gave last; another one means that somebody moved it
    std::optional<double> target_;  ///< time a step() heads for
    double from_ = 0, glided_ = 0;
};

}  // namespace kappaflow
