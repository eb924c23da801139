#pragma once
#include <span>
#include <string>
#include <string_view>

namespace kappaflow {

/// Whether the bytes begin as an archive of numpy arrays does (.npz): a ZIP archive whose first file is a .npy.
bool looksLikeNpz(std::span<const unsigned char>);
/// Whether an archive of numpy arrays names labels and what they belong to, as `pointsAsTable` takes them. Reads no array.
bool namesPoints(std::span<const unsigned char> npz);
/// Whether labelled points stand in the bytes in a form that `pointsAsTable` takes: an .npz, or JSON (first letter [ or {).
bool needsTable(std::span<const unsigned char>);

/// Labelled points of an .npz or of JSON as the text that `readCsv` takes, a line a sample: x, y, label. Arrays (of an .npz, or members of
/// one JSON object) are either a matrix [samples][2] called X, x, points, data or xy beside labels called y, Y, label, labels, class,
/// classes, target or targets, or x and y [samples] beside labels; other members are passed over. JSON may also be a list of rows
/// [x, y, label] or of objects {"x", "y", "label"}. Labels are numbers or words. Throws InputError with one sentence that names line and
/// column of JSON, or the array and its row. Cost: the bytes, at most kMaxDataFileBytes (unpacked too), and kMaxSamples samples.
std::string pointsAsTable(std::span<const unsigned char>, std::string_view fileName = {});

}  // namespace kappaflow
