#include "jobs/codec.h"

#include <numeric>

#include "jobs/codec_bytes.h"

namespace kappaflow {
namespace {

constexpr std::uint8_t kVersion = 4;
enum class Message : std::uint8_t { Request = 'Q', Report = 'R', Event = 'E' };

void writeHeader(ByteWriter& out, Message message) {
    out.number(kVersion);
    out.number(message);
}

void readHeader(ByteReader& in, Message message) {
    if (in.number<std::uint8_t>() != kVersion || in.number<Message>() != message) ByteReader::fail();
}

/// Lists: their length, then the entries one by one. `smallest`: bytes an entry takes at the least.
template <typename Entry, typename Write>
void writeList(ByteWriter& out, const std::vector<Entry>& entries, Write write) {
    out.count(entries.size());
    for (const auto& entry : entries) write(out, entry);
}

template <typename Read>
auto readList(ByteReader& in, std::size_t smallest, Read read) {
    std::vector<decltype(read(in))> entries;
    const std::size_t count = in.count(smallest);
    entries.reserve(count);
    for (std::size_t i = 0; i < count; ++i) entries.push_back(read(in));
    return entries;
}

void writeText(ByteWriter& out, const std::string& text) { out.text(text); }
std::string readText(ByteReader& in) { return in.text(); }

void writeValue(ByteWriter& out, const Value& value) {
    out.number(static_cast<std::uint8_t>(value.index()));
    if (const auto* flag = std::get_if<bool>(&value)) out.flag(*flag);
    if (const auto* number = std::get_if<double>(&value)) out.number(*number);
    if (const auto* text = std::get_if<std::string>(&value)) out.text(*text);
    if (const auto* list = std::get_if<std::vector<double>>(&value)) out.doubles(*list);
}

Value readValue(ByteReader& in) {
    switch (in.enumeration(3)) {
        case 0:
            return in.flag();
        case 1:
            return in.number<double>();
        case 2:
            return in.text();
        default:
            return in.doubles();
    }
}

void writeValues(ByteWriter& out, const Values& values) {
    out.count(static_cast<std::size_t>(std::distance(values.begin(), values.end())));
    for (const auto& [key, value] : values) {
        out.text(key);
        writeValue(out, value);
    }
}

Values readValues(ByteReader& in) {
    Values values;
    for (std::size_t left = in.count(6); left > 0; --left) {
        std::string key = in.text();
        values.set(key, readValue(in));
    }
    return values;
}

void writeAttachment(ByteWriter& out, const std::shared_ptr<const Attachment>& attachment) {
    out.flag(attachment != nullptr);
    if (!attachment) return;
    out.text(attachment->name);
    out.blob(attachment->bytes);
}

std::shared_ptr<const Attachment> readAttachment(ByteReader& in) {
    if (!in.flag()) return nullptr;
    auto attachment = std::make_shared<Attachment>();
    attachment->name = in.text();
    attachment->bytes = in.blob();
    return attachment;
}

void writeScalar(ByteWriter& out, const Scalar& scalar) {
    out.text(scalar.name);
    out.number(scalar.value);
    out.text(scalar.symbol);
    out.text(scalar.about);
    out.flag(scalar.standardError.has_value());
    out.number(scalar.standardError.value_or(0));
    out.number(scalar.draws);
}

Scalar readScalar(ByteReader& in) {
    Scalar scalar;
    scalar.name = in.text();
    scalar.value = in.number<double>();
    scalar.symbol = in.text();
    scalar.about = in.text();
    const bool hasError = in.flag();
    const double error = in.number<double>();
    if (hasError) scalar.standardError = error;
    scalar.draws = in.number<double>();
    return scalar;
}

/// Whether the values are 0, 1, … n − 1.
bool counts(const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != static_cast<double>(i)) return false;
    return values.empty() || !std::signbit(values[0]);
}

/// An axis that only counts is its length. The array's own numbers still come, at least one a step: so a length is no larger than what is
/// left of the message.
void writeAxis(ByteWriter& out, const Axis& axis, std::size_t numbers) {
    const bool counting = axis.values.size() <= numbers && counts(axis.values);
    out.text(axis.name);
    out.flag(counting);
    if (counting)
        out.count(axis.values.size());
    else
        out.doubles(axis.values);
    writeList(out, axis.keys, writeText);
}

Axis readAxis(ByteReader& in) {
    Axis axis;
    axis.name = in.text();
    if (in.flag()) {
        axis.values.resize(in.count(sizeof(std::int32_t)));
        std::iota(axis.values.begin(), axis.values.end(), 0.0);
    } else {
        axis.values = in.doubles();
    }
    axis.keys = readList(in, 4, readText);
    return axis;
}

void writeArray(ByteWriter& out, const Array& array) {
    out.text(array.name);
    writeList(out, array.axes, [&](ByteWriter& to, const Axis& axis) { writeAxis(to, axis, array.values.size()); });
    out.doubles(array.values);
    out.text(array.symbol);
    out.text(array.about);
    out.number(static_cast<std::uint8_t>(array.role));
    out.doubles(array.standardError);
    out.flag(array.mayBeUndefined);
}

/// Whoever draws an array walks it by its axes: they have to agree with the numbers.
void checkShape(const Array& array) {
    double size = 1;
    for (const auto& axis : array.axes) size *= static_cast<double>(axis.size());
    const bool fits = size == static_cast<double>(array.values.size());
    if (!fits || (!array.standardError.empty() && array.standardError.size() != array.values.size())) ByteReader::fail();
}

Array readArray(ByteReader& in) {
    Array array;
    array.name = in.text();
    array.axes = readList(in, 13, readAxis);
    array.values = in.doubles();
    array.symbol = in.text();
    array.about = in.text();
    array.role = static_cast<Role>(in.enumeration(2));
    array.standardError = in.doubles();
    array.mayBeUndefined = in.flag();
    checkShape(array);
    return array;
}

void writeNote(ByteWriter& out, const Note& note) {
    out.text(note.part);
    out.text(note.text);
}

Note readNote(ByteReader& in) {
    Note note;
    note.part = in.text();
    note.text = in.text();
    return note;
}

void writeLayer(ByteWriter& out, const ReportLayer& layer) {
    out.text(layer.kind);
    out.count(layer.shape.size());
    for (const std::size_t length : layer.shape) out.number(static_cast<std::uint32_t>(length));
    out.doubles(layer.weights);
    out.doubles(layer.bias);
}

ReportLayer readLayer(ByteReader& in) {
    ReportLayer layer;
    layer.kind = in.text();
    layer.shape = readList(in, 4, [](ByteReader& from) { return static_cast<std::size_t>(from.number<std::uint32_t>()); });
    layer.weights = in.doubles();
    layer.bias = in.doubles();
    return layer;
}

/// Room for its numbers, so that a large report is not copied over and over as it grows.
std::size_t numbersIn(const Report& report) {
    std::size_t size = 4096 + report.networkFile.size();
    for (const Array& array : report.arrays) size += 600 + sizeof(double) * (array.values.size() + array.standardError.size());
    return size;
}

void writeReport(ByteWriter& out, const Report& report) {
    out.expect(numbersIn(report));
    out.text(report.scene);
    writeValues(out, report.params);
    out.number(static_cast<std::uint8_t>(report.status));
    out.text(report.message);
    writeList(out, report.warnings, writeText);
    out.text(report.summary);
    writeList(out, report.notes, writeNote);
    writeList(out, report.scalars, writeScalar);
    writeList(out, report.arrays, writeArray);
    writeList(out, report.network, writeLayer);
    out.blob(report.networkFile);
}

Report readReport(ByteReader& in) {
    Report report;
    report.scene = in.text();
    report.params = readValues(in);
    report.status = static_cast<Status>(in.enumeration(3));
    report.message = in.text();
    report.warnings = readList(in, 4, readText);
    report.summary = in.text();
    report.notes = readList(in, 8, readNote);
    report.scalars = readList(in, 29, readScalar);
    report.arrays = readList(in, 26, readArray);
    report.network = readList(in, 16, readLayer);
    report.networkFile = in.blob();
    return report;
}

}  // namespace

std::vector<unsigned char> encodeRequest(const Request& request) {
    ByteWriter out;
    writeHeader(out, Message::Request);
    out.text(request.scene);
    writeValues(out, request.params);
    writeAttachment(out, request.network);
    writeAttachment(out, request.data);
    out.flag(request.withNetwork);
    out.flag(request.networkOnly);
    return out.take();
}

Request decodeRequest(std::span<const unsigned char> bytes) {
    ByteReader in(bytes);
    readHeader(in, Message::Request);
    Request request;
    request.scene = in.text();
    request.params = readValues(in);
    request.network = readAttachment(in);
    request.data = readAttachment(in);
    request.withNetwork = in.flag();
    request.networkOnly = in.flag();
    in.end();
    return request;
}

std::vector<unsigned char> encodeReport(const Report& report) {
    ByteWriter out;
    writeHeader(out, Message::Report);
    writeReport(out, report);
    return out.take();
}

Report decodeReport(std::span<const unsigned char> bytes) {
    ByteReader in(bytes);
    readHeader(in, Message::Report);
    Report report = readReport(in);
    in.end();
    return report;
}

std::vector<unsigned char> encodeEvent(const JobEvent& event) {
    ByteWriter out;
    writeHeader(out, Message::Event);
    out.number(static_cast<std::uint8_t>(event.what));
    out.number(event.job);
    out.number(event.progress);
    out.text(event.message);
    const bool hasReport = event.what == JobEvent::What::Partial || event.what == JobEvent::What::Done;
    out.flag(hasReport);
    if (hasReport) writeReport(out, event.report);
    return out.take();
}

JobEvent decodeEvent(std::span<const unsigned char> bytes) {
    ByteReader in(bytes);
    readHeader(in, Message::Event);
    JobEvent event;
    event.what = static_cast<JobEvent::What>(in.enumeration(3));
    event.job = in.number<JobId>();
    event.progress = in.number<double>();
    event.message = in.text();
    if (in.flag()) event.report = readReport(in);
    in.end();
    return event;
}

}  // namespace kappaflow
