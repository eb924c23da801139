#pragma once
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/param.h"

namespace kappaflow {

/// theory is drawn dashed, measurement solid, bounds dotted, everywhere.
enum class Role { Measurement, Theory, Bound };
enum class Status { Ok, Partial, Cancelled, Failed };

struct Axis {
    std::string name;
    std::vector<double> values;
    std::vector<std::string> keys;  ///< in place of values where the axis runs over options
    std::size_t size() const { return keys.empty() ? values.size() : keys.size(); }
};

struct Scalar {
    std::string name;
    double value = 0;
    std::string symbol, about;
    std::optional<double> standardError;  ///< of a Monte Carlo value, with
    double draws = 0;                     ///< the number of draws behind it
};

struct Array {
    std::string name;
    std::vector<Axis> axes;
    std::vector<double> values;  ///< row-major; NaN where nothing is defined
    std::string symbol, about;
    Role role = Role::Measurement;
    std::vector<double> standardError;  ///< empty, or as long as values
    bool mayBeUndefined = false;        ///< NaN means "not defined here" (padding) and raises no warning

    std::size_t rowLength() const;  ///< product of all axes but the first
    /// Values of one index of the first axis.
    const double* row(std::size_t index) const { return values.data() + index * rowLength(); }
};

/// A layer of a network as printed with --with-network.
struct ReportLayer {
    std::string kind;
    std::vector<std::size_t> shape;
    std::vector<double> weights, bias;
};

/// A sentence about one part of a result, as why it is missing: a picture shows it in that part's place.
struct Note {
    std::string part;  ///< "regions"
    std::string text;
};

/// A result as named numbers: the one source of the picture, JSON, CSV, the accessible table and the spoken summary.
struct Report {
    std::string scene;
    Values params;
    Status status = Status::Failed;
    std::string message = "nothing was computed";
    std::vector<std::string> warnings;
    std::string summary;  ///< one to three sentences made from the numbers
    std::vector<Note> notes;
    std::vector<Scalar> scalars;
    std::vector<Array> arrays;
    std::vector<ReportLayer> network;        ///< filled only on request
    std::vector<unsigned char> networkFile;  ///< the same as an ONNX file (core/io/onnx.h), by the scenes that save networks

    const Scalar* scalar(std::string_view name) const;     ///< null when absent
    const Array* array(std::string_view name) const;       ///< null when absent
    const std::string* note(std::string_view part) const;  ///< null when absent
};

/// An axis of the report: a vector of numbers, or of option keys. One that is empty in a result is left out of the arrays along it.
struct AxisRow {
    const char* name;
    bool keys;
    MemberAccess at;
};
/// At most four axes, which stand in the scene's table.
class AxisRows {
public:
    template <std::same_as<AxisRow>... Rows>
    constexpr AxisRows(const Rows&... rows) : rows_{&rows...}, size_(sizeof...(Rows)) {}
    std::span<const AxisRow* const> rows() const { return {rows_, size_}; }
    std::vector<std::string> names() const;

private:
    const AxisRow* rows_[4];
    std::size_t size_;
};
/// How a field is held in Result. An Optional without a value and an empty array are left out of the report; an OptionalArray is there
/// when it has a value, though it be empty.
enum class Found { Number, Optional, Estimate, OptionalEstimate, Array, Estimates, OptionalArray };

/// A row of a scene's table of report fields.
struct FieldRow {
    const char *name, *symbol;
    AxisRows axes;
    const char* about;
    Role role = Role::Measurement;
    bool gaps = false;     ///< NaN means "not defined here" and raises no warning
    bool chaotic = false;  ///< depends chaotically on rounding: compared statistically
    Found found = Found::Number;
    MemberAccess at = nullptr;
    AxisRows gridAxes{};  ///< its axes in a plane: where none of these is empty in the result
};

/// first, first + 1, … (n of them).
std::vector<double> countUp(std::size_t n, double first = 0);
/// Number for a sentence or a label: `digits` significant digits, no trailing zeros.
std::string inWords(double value, int digits = 3);
/// "1 layer", "2 layers".
std::string counted(double count, const std::string& noun);
/// The number 10^log10 for a sentence, also where it fits no double: "1.39·10⁻²⁴", plain between 10⁻³ and 10⁵.
std::string powerInWords(double log10);

}  // namespace kappaflow
