#include "jobs/codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <numeric>
#include <utility>
#include <variant>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

// The two wasm modules and the native program exchange bytes with themselves only; all of them are little-endian.
static_assert(std::endian::native == std::endian::little);

constexpr std::uint8_t kVersion = 10;
constexpr int kDeepest = 2;  // a block and the layers inside it

template <class T, class Plain>
concept Of = std::same_as<std::remove_const_t<T>, Plain>;

// What stands in a message, in its order: the members of each struct, said once for writing and for reading.

void members(auto& io, Of<Attachment> auto& a) { io(a.name, a.bytes); }
void members(auto& io, Of<Request> auto& r) { io(r.scene, r.params, r.network, r.data, r.withNetwork, r.networkOnly); }
void members(auto& io, Of<Note> auto& n) { io(n.part, n.text); }
void members(auto& io, Of<Scalar> auto& s) { io(s.name, s.value, s.symbol, s.about, s.standardError, s.draws); }
void members(auto& io, Of<Array> auto& a) { io(a.name, a.axes, a.values, a.symbol, a.about, a.role, a.standardError, a.mayBeUndefined); }
void members(auto& io, Of<ReportLayer> auto& l) { io(l.kind, l.shape, l.weights, l.bias); }
void members(auto& io, Of<Report> auto& r, auto& params) {
    io(r.scene, params, r.status, r.message, r.warnings, r.summary, r.notes, r.scalars, r.arrays, r.network, r.networkFile);
}
void members(auto& io, Of<Report> auto& r) { members(io, r, r.params); }
void members(auto& io, Of<JobEvent> auto& e) {
    io(e.what, e.job, e.progress, e.message);
    e.what == JobEvent::What::Partial || e.what == JobEvent::What::Done ? io(e.report) : io(e.report.params);
}

void members(auto& io, Of<Shape> auto& s) { io(s.channels, s.height, s.width); }
void members(auto& io, Of<Window> auto& w) { io(w.size, w.stride, w.dilation, w.before, w.after, w.padding); }
void members(auto& io, Of<Dense> auto& d) { io(d.weights, d.bias); }
void members(auto& io, Of<Conv> auto& c) { io(c.weights, c.bias, c.window, c.groups, c.shared); }
void members(auto& io, Of<BatchNorm> auto& n) { io(n.weights, n.bias, n.shared, n.epsilon, n.mean, n.variance); }
void members(auto& io, Of<LayerNorm> auto& n) { io(n.weights, n.bias, n.shared, n.epsilon, n.groups, n.eachPosition); }
void members(auto& io, Of<Pointwise> auto& f) { io(f.activation, f.slope, f.slopes, f.gain, f.offset, f.seed); }
void members(auto& io, Of<MaxPool> auto& p) { io(p.window); }
void members(auto& io, Of<AveragePool> auto& p) { io(p.window, p.countsPadding); }
void members(auto& io, Of<Route> auto& r) { io(r.route); }
void members(auto& io, Of<Sum> auto& s) { io(s.scales); }
void members(auto& io, Of<Block> auto& b) { io(b.inner); }
template <class Op>
requires std::is_empty_v<Op>
void members(auto&, Op&) {}
void members(auto& io, Of<Layer> auto& l) { io(l.in, l.out, l.op, l.reads, l.name); }
void members(auto& io, Of<Network> auto& n) { io(n.input, n.layers); }
void members(auto& io, Of<FoundNetwork> auto& f) { io(f.fileBytes, f.fileWeights, f.refusal, f.notes, f.network); }
void members(auto& io, Of<WrittenNetwork> auto& w) { io(w.refusal, w.file); }

/// Whether the values are 0, 1, … n − 1.
bool counts(const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != static_cast<double>(i)) return false;
    return values.empty() || !std::signbit(values[0]);
}

enum class Numbers : std::uint8_t { Doubles, Wholes, Singles };

/// How a list is written so that every number comes back to the bit.
Numbers kindOf(const std::vector<double>& values) {
    const auto isWhole = [](double value) {
        if (!(value >= -2147483648.0 && value <= 2147483647.0)) return false;
        const auto whole = static_cast<std::int32_t>(value);
        return whole == value && !(whole == 0 && std::signbit(value));
    };
    const auto isSingle = [](double value) { return std::abs(value) <= 3e38 && static_cast<double>(static_cast<float>(value)) == value; };
    if (std::all_of(values.begin(), values.end(), isWhole)) return Numbers::Wholes;
    return std::all_of(values.begin(), values.end(), isSingle) ? Numbers::Singles : Numbers::Doubles;
}

using Taker = std::function<void(std::span<const unsigned char>)>;

/// Appends to a message; lists and texts start with their length as 32 bits. With a taker it hands it on piece by piece.
class Writer {
public:
    explicit Writer(char kind, const Taker* taker = nullptr) : taker_(taker) { (*this)(kVersion, static_cast<std::uint8_t>(kind)); }
    /// Room for its numbers first, so that a large report is not copied over and over as it grows.
    void report(const Report& report, const Values& params) {
        std::size_t size = 4096 + report.networkFile.size();
        for (const Array& array : report.arrays) size += 600 + sizeof(double) * (array.values.size() + array.standardError.size());
        if (!taker_) bytes_.reserve(bytes_.size() + size);
        members(*this, report, params);
    }
    void operator()(const auto&... values) { (one(values), ...); }
    std::vector<unsigned char> take() { return std::move(bytes_); }
    void flush() {
        (*taker_)(bytes_);
        bytes_.clear();
    }

private:
    // Into room that is there: else, as in resize, the web's vector writes byte by byte (6 ms a megabyte).
    void raw(const void* data, std::size_t size) {
        const auto* bytes = static_cast<const unsigned char*>(data);
        constexpr std::size_t kPiece = 1 << 16;
        if (taker_ && bytes_.size() + size > kPiece) {
            flush();
            if (size > kPiece) return (*taker_)({bytes, size});
        }
        if (bytes_.capacity() - bytes_.size() < size) bytes_.reserve(std::max(2 * bytes_.capacity(), bytes_.size() + size));
        bytes_.insert(bytes_.end(), bytes, bytes + size);
    }
    template <class T>
    void block(const T& values) {
        one(static_cast<std::uint32_t>(values.size()));
        raw(values.data(), values.size() * sizeof values[0]);
    }
    template <class Number>
    requires std::is_arithmetic_v<Number>
    void one(Number value) { raw(&value, sizeof value); }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void one(Enum value) { one(static_cast<std::uint8_t>(value)); }
    void one(const std::string& text) { block(text); }
    void one(const std::vector<unsigned char>& bytes) { block(bytes); }
    /// In 32 bits each when all of them are singles (weights) or whole numbers that fit (indices and counts are most of a large report);
    /// these as steps from the one before, which compress to half where they walk.
    void one(const std::vector<double>& values) {
        const Numbers how = kindOf(values);
        one(how);
        if (how == Numbers::Doubles) return block(values);
        one(static_cast<std::uint32_t>(values.size()));
        std::array<std::uint32_t, 1024> piece;
        std::uint32_t before = 0;
        for (std::size_t i = 0; i < values.size();) {
            const std::size_t begin = i;
            for (; i < values.size() && i - begin < piece.size(); ++i) {
                if (how == Numbers::Singles) {
                    const auto single = static_cast<float>(values[i]);
                    std::memcpy(&piece[i - begin], &single, sizeof single);
                    continue;
                }
                const auto whole = static_cast<std::uint32_t>(static_cast<std::int32_t>(values[i]));
                piece[i - begin] = whole - std::exchange(before, whole);
            }
            raw(piece.data(), (i - begin) * sizeof piece[0]);
        }
    }
    void one(const std::array<int, 2>& values) { block(values); }
    void one(const std::vector<int>& values) { block(values); }
    void one(const std::vector<std::size_t>& lengths) { one(std::vector<double>(lengths.begin(), lengths.end())); }
    template <class Entry>
    void one(const std::vector<Entry>& entries) {
        one(static_cast<std::uint32_t>(entries.size()));
        for (const auto& entry : entries) one(entry);
    }
    void one(const std::optional<double>& value) { (*this)(value.has_value(), value.value_or(0)); }
    void one(const std::shared_ptr<const Attachment>& file) {
        one(file != nullptr);
        if (file) one(*file);
    }
    template <class... Held>
    void one(const std::variant<Held...>& value) {
        one(static_cast<std::uint8_t>(value.index()));
        std::visit([&](const auto& held) { one(held); }, value);
    }
    void one(const Values& values) {
        one(static_cast<std::uint32_t>(std::distance(values.begin(), values.end())));
        for (const auto& [key, value] : values) (*this)(key, value);
    }
    /// An axis that only counts is its length. The array's own numbers still come, at least one a step: so a length is no larger than what
    /// is left of the message.
    void one(const Array& array) {
        most_ = array.values.size();
        members(*this, array);
    }
    void one(const Axis& axis) {
        const bool counting = axis.values.size() <= most_ && counts(axis.values);
        (*this)(axis.name, counting);
        counting ? one(static_cast<std::uint32_t>(axis.values.size())) : one(axis.values);
        one(axis.keys);
    }
    void one(const Report& shown) { report(shown, shown.params); }
    template <class Struct>
    requires std::is_class_v<Struct>
    void one(const Struct& object) { members(*this, object); }
    const Taker* taker_;
    std::vector<unsigned char> bytes_;
    std::size_t most_ = 0;
};

[[noreturn]] void refuse() { throw InputError("The message between page and worker is damaged."); }

constexpr int lastOf(Role) { return static_cast<int>(Role::Bound); }
constexpr int lastOf(Status) { return static_cast<int>(Status::Failed); }
constexpr int lastOf(JobEvent::What) { return static_cast<int>(JobEvent::What::Failed); }
constexpr int lastOf(Numbers) { return static_cast<int>(Numbers::Singles); }
constexpr int lastOf(Padding) { return static_cast<int>(Padding::Reflect); }
constexpr int lastOf(Activation) { return static_cast<int>(Activation::Cos); }

/// Reads what Writer wrote; every length is checked against the bytes that are left before anything is allocated.
class Reader {
public:
    Reader(char kind, Stream bytes) : bytes_(std::move(bytes)) {
        if (get<std::uint8_t>() != kVersion || get<std::uint8_t>() != kind) refuse();
    }
    void operator()(auto&... values) { (one(values), ...); }
    void end() const {
        if (bytes_.left > 0) refuse();
    }

private:
    void raw(void* data, std::size_t size) {
        if (size > bytes_.left) refuse();
        bytes_.read(data, size);
        bytes_.left -= size;
    }
    template <class T>
    T get() {
        T value{};
        one(value);
        return value;
    }
    /// Length of a list whose entries take at least `entrySize` bytes each.
    std::size_t count(std::size_t entrySize) {
        const std::size_t value = get<std::uint32_t>();
        if (value > bytes_.left / entrySize) refuse();
        return value;
    }
    template <class T>
    void block(T& values) {
        values.resize(count(sizeof values[0]));
        raw(values.data(), values.size() * sizeof values[0]);
    }
    template <class Number>
    requires std::is_arithmetic_v<Number>
    void one(Number& value) { raw(&value, sizeof value); }
    void one(bool& flag) {
        const auto byte = get<std::uint8_t>();
        if (byte > 1) refuse();
        flag = byte == 1;
    }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void one(Enum& value) {
        const auto number = get<std::uint8_t>();
        if (number > lastOf(value)) refuse();
        value = static_cast<Enum>(number);
    }
    void one(std::string& text) { block(text); }
    void one(std::vector<unsigned char>& bytes) { longList(bytes); }
    /// A list that may be long: not by resize, which on the web writes zeros first, nor by other iterators, which go one by one.
    template <class Entry>
    void longList(std::vector<Entry>& list) {
        const std::size_t size = count(sizeof(Entry));
        list.reserve(size);
        inPieces<Entry>(size, [&](std::span<const Entry> piece) { list.insert(list.end(), piece.data(), piece.data() + piece.size()); });
    }
    void one(std::vector<double>& values) {
        switch (get<Numbers>()) {
            case Numbers::Wholes: {
                std::uint32_t whole = 0;
                return widened<std::uint32_t>(values, [&](std::uint32_t step) { return static_cast<std::int32_t>(whole += step); });
            }
            case Numbers::Singles:
                return widened<float>(values, [](float single) { return single; });
            case Numbers::Doubles:
                longList(values);
        }
    }
    template <class Narrow>
    void widened(std::vector<double>& values, auto&& wide) {
        const std::size_t size = count(sizeof(Narrow));
        values.reserve(size);
        inPieces<Narrow>(size, [&](std::span<const Narrow> piece) {
            for (const Narrow narrow : piece) values.push_back(wide(narrow));
        });
    }
    template <class Entry>
    void inPieces(std::size_t size, auto&& take) {
        std::array<Entry, 4096> piece;
        for (std::size_t count; size > 0; size -= count) {
            count = std::min(size, piece.size());
            raw(piece.data(), count * sizeof(Entry));
            take(std::span<const Entry>(piece.data(), count));
        }
    }
    void one(std::vector<int>& values) { block(values); }
    void one(std::array<int, 2>& values) {
        if (count(sizeof values[0]) != values.size()) refuse();
        raw(values.data(), sizeof values);
    }
    void one(Layer& layer) {
        if (++depth_ > kDeepest) refuse();
        members(*this, layer);
        --depth_;
    }
    void one(std::vector<std::size_t>& lengths) {
        for (const double length : get<std::vector<double>>()) {
            if (!(length >= 0 && length <= 4294967295.0)) refuse();
            lengths.push_back(static_cast<std::size_t>(length));
        }
    }
    template <class Entry>
    void one(std::vector<Entry>& entries) {
        for (std::size_t left = count(4); left > 0; --left) one(entries.emplace_back());
    }
    void one(std::optional<double>& value) {
        const bool known = get<bool>();
        value = get<double>();
        if (!known) value.reset();
    }
    void one(std::shared_ptr<const Attachment>& file) {
        if (get<bool>()) file = std::make_shared<Attachment>(get<Attachment>());
    }
    template <class... Held>
    void one(std::variant<Held...>& value) {
        const std::size_t held = get<std::uint8_t>();
        if (held >= sizeof...(Held)) refuse();
        std::size_t at = 0;
        ((at++ == held ? one(value.template emplace<Held>()) : void()), ...);
    }
    void one(Values& values) {
        for (std::size_t left = count(6); left > 0; --left) {
            const auto key = get<std::string>();
            values.set(key, get<Value>());
        }
    }
    void one(Axis& axis) {
        one(axis.name);
        if (get<bool>()) {
            axis.values.resize(count(sizeof(std::int32_t)));
            std::iota(axis.values.begin(), axis.values.end(), 0.0);
        } else {
            one(axis.values);
        }
        one(axis.keys);
    }
    /// Whoever draws an array walks it by its axes: they have to agree with the numbers.
    void one(Array& array) {
        members(*this, array);
        double size = 1;
        for (const auto& axis : array.axes) size *= static_cast<double>(axis.size());
        if (size != static_cast<double>(array.values.size())) refuse();
        if (!array.standardError.empty() && array.standardError.size() != array.values.size()) refuse();
    }
    template <class Struct>
    requires std::is_class_v<Struct>
    void one(Struct& object) { members(*this, object); }
    Stream bytes_;
    int depth_ = 0;
};

template <class Struct>
std::vector<unsigned char> encode(char kind, const Struct& object) {
    Writer out(kind);
    out(object);
    return out.take();
}

template <class Struct>
Struct decode(char kind, Stream bytes) {
    Reader in(kind, std::move(bytes));
    Struct object;
    in(object);
    in.end();
    return object;
}

}  // namespace

Stream::Stream(std::span<const unsigned char> bytes)
    : left(bytes.size()), read([bytes](void* to, std::size_t size) mutable {
          if (size > 0) std::memcpy(to, bytes.data(), size);
          bytes = bytes.subspan(size);
      }) {}

std::vector<unsigned char> encodeRequest(const Request& request) { return encode('Q', request); }
Request decodeRequest(std::span<const unsigned char> bytes) { return decode<Request>('Q', bytes); }
std::vector<unsigned char> encodeReport(const Report& report) { return encode('R', report); }
void writeReport(const Report& report, const Values& params, const Taker& take) {
    Writer out('R', &take);
    out.report(report, params);
    out.flush();
}
Report decodeReport(std::span<const unsigned char> bytes) { return decode<Report>('R', bytes); }
std::vector<unsigned char> encodeEvent(const JobEvent& event) { return encode('E', event); }
JobEvent decodeEvent(Stream bytes) { return decode<JobEvent>('E', std::move(bytes)); }
std::vector<unsigned char> encodeFound(const FoundNetwork& found) { return encode('F', found); }
FoundNetwork decodeFound(std::span<const unsigned char> bytes) { return decode<FoundNetwork>('F', bytes); }
std::vector<unsigned char> encodeWritten(const WrittenNetwork& written) { return encode('W', written); }
WrittenNetwork decodeWritten(std::span<const unsigned char> bytes) { return decode<WrittenNetwork>('W', bytes); }

}  // namespace kappaflow
