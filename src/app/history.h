#pragma once
#include <memory>
#include <string>
#include <vector>

#include "scene/state.h"

namespace kappaflow {

/// What undo goes back to: a state and the files it speaks of.
struct Moment {
    State state;
    std::shared_ptr<const Attachment> network, data;
};

/// Undo as a list of moments. Changes that follow each other under the same key within a second (a slider being dragged)
/// are one step. The oldest steps are forgotten beyond 200, and where the files they speak of pass 128 MB together.
class History {
public:
    /// Before a change: remembers the moment it starts from. `key` names what is changed.
    void remember(const Moment& before, std::string key, double now);
    bool canUndo() const { return !past_.empty(); }
    bool canRedo() const { return !future_.empty(); }
    /// Gives the moment to go to; `present` becomes what the opposite direction returns to.
    Moment undo(Moment present);
    Moment redo(Moment present);
    std::size_t depth() const { return past_.size(); }
    /// Forgets the steps since the history was `depth` deep: their changes came to nothing.
    void cutTo(std::size_t depth);

private:
    std::vector<Moment> past_, future_;
    std::string key_;
    double when_ = -1e9;
};

}  // namespace kappaflow
