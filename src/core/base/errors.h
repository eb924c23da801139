#pragma once
#include <stdexcept>
#include <string>

namespace kappaflow {

/// What a reader supplied cannot be used. The message is one sentence that names the place and what would be right;
/// it is shown as it stands, on the page and on the command line.
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Thrown by a computation that was told to stop. Never an error to show.
struct Cancelled {};

}  // namespace kappaflow
