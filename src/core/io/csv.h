#pragma once
#include <span>
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

}  // namespace kappaflow
