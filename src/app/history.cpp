#include "app/history.h"

#include <cassert>
#include <set>

namespace kappaflow {
namespace {

constexpr double kSameGesture = 1.0;  // seconds between two changes of one gesture
constexpr std::size_t kDeepest = 200;
constexpr std::size_t kMostFileBytes = 128u << 20;  // two files of the largest size; the page's whole memory is a gigabyte

// Bytes of the files that the moments speak of, each once: neighbours share theirs.
std::size_t fileBytes(const std::vector<Moment>& moments) {
    std::set<const Attachment*> files;
    std::size_t bytes = 0;
    for (const auto& moment : moments)
        for (const Attachment* file : {moment.network.get(), moment.data.get()})
            if (file && files.insert(file).second) bytes += file->bytes.size();
    return bytes;
}

Moment takeLast(std::vector<Moment>& from, std::vector<Moment>& to, Moment present) {
    assert(!from.empty());
    to.push_back(std::move(present));
    Moment moment = std::move(from.back());
    from.pop_back();
    return moment;
}

}  // namespace

void History::remember(const Moment& before, std::string key, double now) {
    const bool continues = key == key_ && now - when_ < kSameGesture && !past_.empty();
    key_ = std::move(key);
    when_ = now;
    future_.clear();
    if (continues) return;
    past_.push_back(before);
    while (past_.size() > kDeepest || (past_.size() > 1 && fileBytes(past_) > kMostFileBytes)) past_.erase(past_.begin());
}

Moment History::undo(Moment present) {
    key_.clear();
    return takeLast(past_, future_, std::move(present));
}

Moment History::redo(Moment present) {
    key_.clear();
    return takeLast(future_, past_, std::move(present));
}

void History::cutTo(std::size_t depth) {
    key_.clear();
    if (past_.size() > depth) past_.erase(past_.begin() + static_cast<std::ptrdiff_t>(depth), past_.end());
}

}  // namespace kappaflow
