#include "collector/ingest/graphics/opengl_builder.hpp"

#include <algorithm>

#include "collector/ingest/records/enum_values.hpp"

namespace prof::ingest {

namespace {

// Values of ENUM_NSYS_EVENT_TYPE.
constexpr std::int32_t kMark = 52;
constexpr std::int32_t kGroup = 62;
constexpr std::int32_t kGpuGroup = 63;

constexpr EnumValue kDebugValues[] = {
    {"ENUM_OPENGL_DEBUG_SEVERITY", 33387, "GL_DEBUG_SEVERITY_NOTIFICATION", "Notification"},
    {"ENUM_OPENGL_DEBUG_SEVERITY", 37190, "GL_DEBUG_SEVERITY_HIGH", "High"},
    {"ENUM_OPENGL_DEBUG_SEVERITY", 37191, "GL_DEBUG_SEVERITY_MEDIUM", "Medium"},
    {"ENUM_OPENGL_DEBUG_SEVERITY", 37192, "GL_DEBUG_SEVERITY_LOW", "Low"},
    {"ENUM_OPENGL_DEBUG_SOURCE", 33350, "GL_DEBUG_SOURCE_API", "API"},
    {"ENUM_OPENGL_DEBUG_SOURCE", 33351, "GL_DEBUG_SOURCE_WINDOW_SYSTEM", "Window system"},
    {"ENUM_OPENGL_DEBUG_SOURCE", 33352, "GL_DEBUG_SOURCE_SHADER_COMPILER", "Shader compiler"},
    {"ENUM_OPENGL_DEBUG_SOURCE", 33353, "GL_DEBUG_SOURCE_THIRD_PARTY", "Third party"},
    {"ENUM_OPENGL_DEBUG_SOURCE", 33354, "GL_DEBUG_SOURCE_APPLICATION", "Application"},
    {"ENUM_OPENGL_DEBUG_SOURCE", 33355, "GL_DEBUG_SOURCE_OTHER", "Other"},
    {"ENUM_OPENGL_DEBUG_TYPE", 33356, "GL_DEBUG_TYPE_ERROR", "Error"},
    {"ENUM_OPENGL_DEBUG_TYPE", 33357, "GL_DEBUG_TYPE_DEPRECATED_BEHAVIOR", "Deprecated behavior"},
    {"ENUM_OPENGL_DEBUG_TYPE", 33358, "GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR", "Undefined behavior"},
    {"ENUM_OPENGL_DEBUG_TYPE", 33359, "GL_DEBUG_TYPE_PORTABILITY", "Portability"},
    {"ENUM_OPENGL_DEBUG_TYPE", 33360, "GL_DEBUG_TYPE_PERFORMANCE", "Performance"},
    {"ENUM_OPENGL_DEBUG_TYPE", 33361, "GL_DEBUG_TYPE_OTHER", "Other"},
    {"ENUM_OPENGL_DEBUG_TYPE", 33384, "GL_DEBUG_TYPE_MARKER", "Marker"},
    {"ENUM_OPENGL_DEBUG_TYPE", 33385, "GL_DEBUG_TYPE_PUSH_GROUP", "Push group"},
    {"ENUM_OPENGL_DEBUG_TYPE", 33386, "GL_DEBUG_TYPE_POP_GROUP", "Pop group"},
};

// Longer work, ns, is damage.
constexpr std::uint64_t kMaxGpuTime = std::uint64_t{1} << 50;

}  // namespace

OpenGlBuilder::Span OpenGlBuilder::span_of(const wire::OpenGlGpuTimes& times) const {
  const std::int64_t moment = clock_.to_ns(times.clock);
  const auto converted = [&](std::uint64_t time) {
    const std::uint64_t later = time - times.gpu_clock;
    const std::uint64_t earlier = times.gpu_clock - time;
    if (later <= kMaxGpuTime) return moment + static_cast<std::int64_t>(later);
    return earlier <= kMaxGpuTime ? moment - static_cast<std::int64_t>(earlier) : moment;
  };
  const std::int64_t start = converted(times.start);
  return {start, std::max(start, converted(times.end))};
}

void OpenGlBuilder::count(std::int64_t end) {
  ++events_;
  last_time_ = std::max(last_time_, end);
}

std::int32_t OpenGlBuilder::text(std::uint64_t hash) {
  return writer_.string_id(hash == 0 ? std::string_view() : strings_.text(hash));
}

void OpenGlBuilder::call(std::int64_t global_tid, const wire::OpenGlCallRecord& record) {
  using Row = report::OpenGlCallRow;
  Row row;
  row.start = clock_.to_ns(record.start);
  row.end = std::max(row.start, clock_.to_ns(record.end));
  row.global_tid = global_tid;
  row.correlation = record.correlation;
  row.name_id = functions_.id_of(record.header.aux);
  if (record.correlation != 0) row.set<&Row::context>(record.context);
  writer_.add(row);
  count(row.end);
}

void OpenGlBuilder::group(std::uint32_t serial, std::int64_t global_tid,
                          const wire::OpenGlGroupRecord& record) {
  using Row = report::OpenGlGroupRow;
  const std::int64_t time = clock_.to_ns(record.time);
  const auto what = static_cast<wire::OpenGlGroup>(record.header.flags);
  if (what == wire::OpenGlGroup::kPop) {
    const auto known = groups_.find({serial, record.correlation});
    if (known == groups_.end()) return;
    known->second.set<&Row::end>(std::max(known->second.start, time));
    writer_.add(known->second);
    count(time);
    groups_.erase(known);
    return;
  }
  Row row;
  row.kind = what == wire::OpenGlGroup::kMark ? kMark : kGroup;
  row.start = time;
  row.text = text(record.text);
  row.global_tid = global_tid;
  row.correlation = record.correlation;
  row.context = record.context;
  if (record.header.aux != 0) {
    row.set<&Row::source>(static_cast<std::int32_t>(record.header.aux));
    row.set<&Row::id>(record.id);
  }
  if (record.type != 0) row.set<&Row::type>(static_cast<std::int32_t>(record.type));
  if (record.severity != 0) row.set<&Row::severity>(static_cast<std::int32_t>(record.severity));
  if (what == wire::OpenGlGroup::kPush) {
    groups_.insert_or_assign({serial, record.correlation}, row);
    return;
  }
  writer_.add(row);
  count(time);
}

void OpenGlBuilder::workload(std::int64_t global_tid, const wire::OpenGlWorkloadRecord& record) {
  const Span span = span_of(record.times);
  report::OpenGlWorkloadRow row;
  row.start = span.start;
  row.end = span.end;
  row.global_tid = global_tid;
  row.correlation = record.correlation;
  row.last_correlation = record.last_correlation;
  row.name_id = functions_.id_of(record.header.aux);
  row.last_name_id = functions_.id_of(record.last_function);
  row.context = record.context;
  writer_.add(row);
  count(row.end);
}

void OpenGlBuilder::gpu_group(std::int64_t global_tid, const wire::OpenGlGpuGroupRecord& record) {
  using Row = report::OpenGlGroupRow;
  const Span span = span_of(record.times);
  Row row;
  row.kind = kGpuGroup;
  row.start = span.start;
  row.set<&Row::end>(span.end);
  row.text = text(record.text);
  row.global_tid = global_tid;
  row.correlation = record.correlation;
  row.context = record.context;
  writer_.add(row);
  count(span.end);
}

void OpenGlBuilder::finish() {
  for (const auto& [key, row] : groups_) {
    writer_.add(row);
    count(row.start);
  }
  groups_.clear();
  if (events_ != 0) write_enums(writer_, kDebugValues);
}

}  // namespace prof::ingest
