#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kappaflow {

/// The value of a param. Numbers and integers are doubles; a choice is its option's key; a list or painted profile is numbers;
/// a network is "" (none), a sample's id, or "file" (the attached bytes), data an option's key or "file"; an architecture is its widths.
using Value = std::variant<bool, double, std::string, std::vector<double>>;

/// Values by key. Reading a key that the scene does not declare, or with the wrong kind, is a programmer's mistake (assert).
class Values {
public:
    bool contains(std::string_view key) const { return values_.find(key) != values_.end(); }
    const Value& at(std::string_view key) const;
    void set(std::string_view key, Value value) { values_.insert_or_assign(std::string(key), std::move(value)); }

    bool flag(std::string_view key) const { return std::get<bool>(at(key)); }
    double number(std::string_view key) const { return std::get<double>(at(key)); }
    int integer(std::string_view key) const { return static_cast<int>(number(key)); }
    std::uint64_t seed(std::string_view key = "seed") const { return static_cast<std::uint64_t>(number(key)); }
    const std::string& text(std::string_view key) const { return std::get<std::string>(at(key)); }
    bool is(std::string_view key, std::string_view option) const { return text(key) == option; }
    const std::vector<double>& list(std::string_view key) const { return std::get<std::vector<double>>(at(key)); }

    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }
    friend bool operator==(const Values&, const Values&) = default;

private:
    std::map<std::string, Value, std::less<>> values_;
};

enum class Kind {
    Number,        ///< double in [min, max]
    Integer,       ///< whole number in [min, max]; `odd` refuses even ones
    Seed,          ///< 0 … 2^32-1
    Boolean,       ///< true | false
    Choice,        ///< one of `options`
    List,          ///< numbers in [min, max] by commas, `maxLength` of them at the most
    Profile,       ///< painted by hand: non-negative numbers by commas, stretched over the units
    Architecture,  ///< 2 to `maxLength` whole widths in [min, max] by dashes, input first
    Network,       ///< one of `options` (samples) or "file"
    Data,          ///< one of `options` (data sets made here) or "file"
};

/// Whose value "file" stands for attached bytes.
inline bool takesFile(Kind kind) { return kind == Kind::Network || kind == Kind::Data; }

/// Content that the file of a Data param may have: points with their classes (CSV, JSON, npz), images (IDX, CIFAR), or either.
enum class DataFiles { Points, Images, Either };

enum class Group { Main, More, Hidden };  ///< Hidden: no control in the panel (the picture or timeline is the control)
enum class Affects { Request, View };     ///< View: only the picture changes, nothing is computed again

/// A choice's option, or a name for one value of a number ("centre" for topIndex, "doubling" for dilation).
struct OptionRow {
    const char* key;
    const char* label = key;
    double number = 0;  ///< the value a named number stands for; unused in choices

    /// Stands for the bytes that a reader attached.
    bool isFile() const { return std::string_view(key) == "file"; }
};

/// What other values change about a number: its default, and the largest value it takes.
struct Beside {
    double standard, max;
};

/// How a param's value is held in its scene's struct Params, and where: from that struct to the member.
enum class Held { Double, Int, Seed, Bool, Enum, Text, Doubles, Ints };
using MemberAccess = void* (*)(void* object);

/// A row of a scene's table of params: one thing a reader can change. The single declaration behind the panel, the HTML elements, the
/// link, `--set`, the schema, the documentation and the tests at extremes.
struct ParamRow {
    const char *key = "", *symbol = "", *label = "", *unit = "";
    double min = 0, max = 1;
    std::span<const OptionRow> options{};  ///< of a choice, in the order of its enum; of a network or data; of a number: names of values,
                                           ///< which may lie outside the range
    int maxLength = 0;                     ///< of lists, profiles and architectures
    DataFiles files = DataFiles::Points;   ///< of data
    bool logarithmic = false;              ///< the slider moves in equal ratios
    bool odd = false;                      ///< integers: even ones are refused
    bool costly = false;                   ///< among those that a refused request is told to lower
    Group group = Group::Main;
    Affects affects = Affects::Request;
    bool (*shown)(const void* params) = nullptr;     ///< null: always
    Beside (*beside)(const void* params) = nullptr;  ///< null: default and `max` whatever the others are
    const char *help = "", *serves = "";             ///< one sentence; "P1 Eq 27", "P1 Fig 4"
    Kind kind = Kind::Number;
    Held held = Held::Double;
    MemberAccess at = nullptr;
};

struct SceneTable;

/// A row beside its scene.
struct Param : ParamRow {
    Value standard;  ///< the default: the member's own initialiser
    const SceneTable* scene = nullptr;

    /// Whether it means anything beside these values.
    bool visible(const Values&) const;
};

/// The param as it is beside these values of the others.
Param adapted(Param, const Values&);
/// Its default beside them.
Value standardBeside(const Param&, const Values&);

/// The value by the name that its param has for it ("centre" for −1); else as it is.
Value named(const Param&, const Value&);
/// Text of a value as in links, `--set` and the schema: numbers with the fewest digits that read back equal, lists by
/// commas, architectures by dashes.
std::string formatValue(const Param&, const Value&);

/// What came of reading a text: a value, and a warning when it had to be clamped.
struct ParsedValue {
    Value value;
    std::string warning;
};
/// Throws InputError with one sentence ("layers takes a whole number from 1 to 400, not \"many\".") when the text is not of the
/// kind; a number outside the range is clamped, with a warning. A profile whose peak lies above `max` is scaled down as a whole,
/// since only its shape means anything.
ParsedValue parseValue(const Param&, std::string_view text);
/// The same for a value already typed (JSON, sliders); a string for anything but a choice or network is read as a text.
ParsedValue admitValue(const Param&, const Value&);

/// Decimal text with the fewest digits that read back as the same double; plain ("100000") from 1e-5 to 1e15, else "1e20".
std::string formatNumber(double);
/// Whole text as a finite decimal number; throws InputError. Hexadecimal, "nan", "inf" and surrounding blanks are refused.
double parseNumber(std::string_view text);

/// What a param takes, for sentences and documentation: "an odd whole number from 1 to 15 or centre".
std::string admissible(const Param&);
/// A reader's text in quotation marks as it may stand in a sentence: one line, at most 40 bytes, cut between characters.
std::string quote(std::string_view text);

}  // namespace kappaflow
