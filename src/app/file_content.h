#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "scene/param.h"

namespace kappaflow {

/// What a file that a reader drops holds: a network, points (CSV), images (IDX, CIFAR), or the labels of such images (IDX).
enum class FileContent { Network, Points, Images, Labels };

/// By its first bytes and its length, else by its name; a network is what nothing else claims. Whether the file is sound is for its reader
/// to say.
FileContent contentOf(std::string_view fileName, std::span<const unsigned char> bytes);

/// Whether a file of that content can be the param's.
bool takes(const Param&, FileContent);
/// The same in words, for a control: "open images of your own (MNIST, CIFAR)".
const char* invitation(const Param&);

/// An IDX file of images with a file of labels behind, in the place of any that followed it.
std::vector<unsigned char> withLabels(std::span<const unsigned char> images, std::span<const unsigned char> labels);

}  // namespace kappaflow
