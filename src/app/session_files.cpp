#include <algorithm>
#include <string>

#include "app/session.h"
#include "core/io/csv.h"
#include "core/io/image_layout.h"

namespace kappaflow {
namespace {

using Bytes = std::span<const unsigned char>;
using FileBytes = std::vector<unsigned char>;

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

bool endsInOneOf(std::string_view name, std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

FileContent contentOf(std::string_view fileName, Bytes bytes) {
    const std::string name = lowerCase(fileName);
    if (namesPoints(bytes)) return FileContent::Points;
    if (countOfIdx(bytes)) return looksLikeIdxLabels(bytes) ? FileContent::Labels : FileContent::Images;
    // Those of other programs too: the reader of networks says how to save one so that it can be read.
    if (endsInOneOf(name, {".onnx", ".safetensors", ".npz", ".pt", ".pth", ".ckpt", ".h5", ".keras", ".tflite", ".pb"}))
        return FileContent::Network;
    if (endsInOneOf(name, {".csv", ".tsv", ".txt", ".json"})) return FileContent::Points;
    // A data set as it is downloaded, packed or cut short, is still one: its reader says what to do.
    for (const char* part : {"idx3", "idx1", "cifar", "mnist", "data_batch", "test_batch"})
        if (name.find(part) != name.npos) return FileContent::Images;
    return endsInOneOf(name, {".bin"}) || isWholeCifar(bytes, 1) || isWholeCifar(bytes, 2) ? FileContent::Images : FileContent::Network;
}

bool takes(const Param& param, FileContent content) {
    if (param.kind == Kind::Network) return content == FileContent::Network;
    if (param.kind != Kind::Data || content == FileContent::Network) return false;
    return param.files == DataFiles::Either || (param.files == DataFiles::Points) == (content == FileContent::Points);
}

const char* invitation(const Param& param) {
    if (param.kind == Kind::Network) return "open a network of your own (ONNX, safetensors, npz)";
    switch (param.files) {
        case DataFiles::Points:
            return "open points of your own (CSV, JSON, npz: x, y, class)";
        case DataFiles::Images:
            return "open images of your own (MNIST, CIFAR-10)";
        case DataFiles::Either:
            return "open images with labels (MNIST, CIFAR-10) or points (CSV, JSON, npz) of your own";
    }
    return "";
}

std::vector<unsigned char> withLabels(Bytes images, Bytes labels) {
    const Bytes alone = imagesOfIdx(images);
    std::vector<unsigned char> both(alone.begin(), alone.end());
    both.insert(both.end(), labels.begin(), labels.end());
    return both;
}

namespace {

struct Target {
    const Declaration* scene = nullptr;
    const Param* param = nullptr;
};

// The current scene if a param of it will do, else the first such scene.
template <typename Takes>
Target targetFor(const Declaration& current, Takes takes) {
    const auto in = [&](const Declaration& scene) {
        for (const auto& param : scene.params)
            if (takes(param)) return Target{&scene, &param};
        return Target{};
    };
    Target found = in(current);
    for (const auto& scene : declarations()) {
        if (found.param) break;
        found = in(scene);
    }
    return found;
}

}  // namespace

void Session::attach(std::string name, FileBytes bytes) {
    Attachment file{std::move(name), std::move(bytes)};
    const FileContent content = contentOf(file.name, file.bytes);
    if (content == FileContent::Labels) return attachLabels(std::move(file));
    if (content == FileContent::Images) return attachImages(std::move(file));
    const Target target = targetFor(scene(), [&](const Param& param) { return takes(param, content); });
    if (!target.param) return say("No scene takes the file " + file.name + ".");
    show(*target.scene, *target.param, std::move(file));
}

void Session::attachAs(Kind kind, std::string name, FileBytes bytes) {
    const FileContent content = contentOf(name, bytes);
    const auto ofKind = [&](const Param& param) { return param.kind == kind; };
    const bool here = std::any_of(scene().params.begin(), scene().params.end(), ofKind);
    Target target = targetFor(scene(), [&](const Param& param) { return ofKind(param) && (here || takes(param, content)); });
    if (!target.param) target = targetFor(scene(), ofKind);
    if (target.param) show(*target.scene, *target.param, {std::move(name), std::move(bytes)});
}

void Session::attachImages(Attachment images) {
    if (labels_ && countOfIdx(labels_->bytes) == countOfIdx(images.bytes)) images.bytes = withLabels(images.bytes, labels_->bytes);
    const Target target = targetFor(scene(), [](const Param& param) { return takes(param, FileContent::Images); });
    if (!target.param) return say("No scene takes the images " + images.name + ".");
    show(*target.scene, *target.param, std::move(images));
}

void Session::attachLabels(Attachment labels) {
    const auto images = images_ ? images_ : data_;
    if (!images || !countOfIdx(images->bytes)) {
        say("The labels in " + labels.name + " wait for their images: add that file too.");
        labels_ = std::make_shared<const Attachment>(std::move(labels));
        return;
    }
    if (countOfIdx(images->bytes) != countOfIdx(labels.bytes))
        return say("The labels in " + labels.name + " are not as many as the images in " + images->name + ".");
    attachImages({images->name, withLabels(images->bytes, labels.bytes)});
}

void Session::show(const Declaration& target, const Param& param, Attachment file) {
    if (locked_.contains(param.key) && target.id == author_.scene) return say(std::string(param.key) + " is fixed on this page.");
    Trial trial = trial_ ? *trial_ : Trial{moment(), history_.depth(), param.kind};
    trial.kind = param.kind;
    // Files dropped together are one step; one that takes another's place is a step of its own.
    auto& present = fileOf(param.kind);
    const bool another = present && state_.params.contains(param.key) && state_.params.is(param.key, "file") && present->name != file.name;
    history_.remember(moment(), another ? "attach " + file.name : "attach", clock_());
    std::vector<std::string> ignored;
    if (target.id != state_.scene) state_ = apply(state_, Change::scene(target.id), ignored);
    const Change shown = Change::param(param.key, std::string("file"));
    state_ = apply(state_, shown, ignored);
    // Beside params that leave the file unseen it would be shown to nobody: then the scene begins anew.
    if (!isVisible(param)) state_ = apply(initialState(target.id), shown, ignored);
    keepLocked(state_, ignored);
    present = std::make_shared<const Attachment>(std::move(file));
    images_ = labels_ = nullptr;
    message_.clear();
    warnings_.clear();
    touch();
    trial_ = std::move(trial);
    submitIfNew();
}

std::string Session::shownFile() const {
    const Request shown = requestOf(state_);
    return shown.network ? shown.network->name : shown.data ? shown.data->name : std::string();
}

}  // namespace kappaflow
