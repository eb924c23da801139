#pragma once
#include <initializer_list>
#include <optional>
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

/// A report field as `describe` lists it.
struct Field {
    Field(Text name, Text symbol, std::initializer_list<const char*> axes, Text about, Role role = Role::Measurement);
    Field(Text name, Text symbol, std::vector<std::string> axes, Text about, Role role = Role::Measurement);
    Field(const Field&);
    Field(Field&&) noexcept;
    Field& operator=(const Field&);
    Field& operator=(Field&&) noexcept;
    ~Field();

    std::string name, symbol;
    std::vector<std::string> axes;  ///< empty: a scalar
    std::string about;
    Role role = Role::Measurement;
    std::vector<std::string> gridAxes{};  ///< in two dimensions; empty: the same
};

/// first, first + 1, … (n of them).
std::vector<double> countUp(std::size_t n, double first = 0);
/// Number for a sentence or a label: `digits` significant digits, no trailing zeros.
std::string inWords(double value, int digits = 3);
/// The number 10^log10 for a sentence, also where it fits no double: "1.39·10⁻²⁴", plain between 10⁻³ and 10⁵.
std::string powerInWords(double log10);

}  // namespace kappaflow
