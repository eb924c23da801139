#pragma once
#include <span>
#include <string>
#include <string_view>

#include "core/net/data_sets.h"

namespace kappaflow {

/// Limits of a data file: bytes, characters of a line, classes. Samples: kMaxSamples.
inline constexpr std::size_t kMaxDataFileBytes = 8u << 20, kMaxDataLine = 4096, kMaxDataClasses = 10;

/// A table of labelled points as text (UTF-8, with or without a byte order mark; lines end in LF, CRLF or CR; empty ones are skipped):
/// three columns x, y, label between commas, semicolons or tabs, whichever the first line has; fields may stand in double quotes (a
/// doubled one inside means one). A first line whose x and y are no numbers is a header. Beside semicolons and tabs, numbers may have a
/// decimal comma. Labels are numbers, then the classes stand in ascending order, or words, then in the order of their first appearance.
/// Points come out standardised. Throws InputError with one sentence that names the line.
/// Cost: proportional to the bytes, at most kMaxDataFileBytes.
LabelledPoints readCsv(std::span<const unsigned char> bytes, std::string_view fileName = {});
/// The same with the points as they stand in the file.
LabelledPoints readCsvAsWritten(std::span<const unsigned char> bytes, std::string_view fileName = {});

/// A table of numbers alone, a sample a row, by the same rules: every row has as many columns as the first, at most fileLimits().units
/// (network_file.h), one column needs no separator, and a first line of words in all columns is a header. Numbers as they stand in the
/// file, [samples][columns], one row or more. Throws InputError with one sentence that names the line. Cost: as of readCsv.
Matrix readNumbers(std::span<const unsigned char> bytes, std::string_view fileName = {});

/// Returns true if the bytes begin as an archive of numpy arrays does (.npz): a ZIP archive whose first file is a .npy.
bool looksLikeNpz(std::span<const unsigned char>);
/// Returns true if an archive of numpy arrays names points and labels as `pointsAsTable` takes them. Reads no array.
bool namesPoints(std::span<const unsigned char> npz);
/// Returns true if `pointsAsTable` has to read the bytes before `readCsv` can: an .npz, or JSON (first letter [ or {).
bool needsTable(std::span<const unsigned char>);

/// Labelled points of an .npz or of JSON as the text that `readCsv` takes, a line a sample: x, y, label. Arrays (of an .npz, or members of
/// one JSON object) are either a matrix [samples][2] called X, x, points, data or xy beside labels called y, Y, label, labels, class,
/// classes, target or targets, or x and y [samples] beside labels; other members are passed over. JSON may also be a list of rows
/// [x, y, label] or of objects {"x", "y", "label"}. Labels are numbers or words. Throws InputError with one sentence that names line and
/// column of JSON, or the array and its row. Cost: the bytes, at most kMaxDataFileBytes, and kMaxSamples samples.
std::string pointsAsTable(std::span<const unsigned char>, std::string_view fileName = {});

}  // namespace kappaflow
