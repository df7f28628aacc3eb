// A plain struct for each table of the report that has many rows, and the list of its columns.
//
// Times are ns on the session's timeline; docs/schema.md explains the ids. The writer collects rows
// in batches and hands them to SQLite through a virtual table (row_source.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "common/report/columns.hpp"
#include "common/report/event_classes.hpp"

namespace prof::report {

struct StringRow {
  std::int64_t id;
  std::string_view value;
};
template <>
struct RowTraits<StringRow> {
  static constexpr const char* kTable = "StringIds";
  static constexpr auto kColumns = columns<StringRow>(&StringRow::id, &StringRow::value);
};

struct OsrtRow {
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  std::int64_t result;
  std::int32_t name_id;
  std::int32_t nesting_level;
  std::int64_t callchain = 0;  // OSRT_CALLCHAINS.id; 0: none
  std::int64_t weight = 1;     // calls that it stands for
};
template <>
struct RowTraits<OsrtRow> {
  static constexpr const char* kTable = "OSRT_API";
  static constexpr auto kColumns =
      columns<OsrtRow>(&OsrtRow::start, &OsrtRow::end, constant(EventClass::kOsRuntime),
                       &OsrtRow::global_tid, &OsrtRow::name_id, &OsrtRow::result,
                       &OsrtRow::nesting_level, &OsrtRow::callchain, &OsrtRow::weight);
  static constexpr bool kHasWeight = true;
};

struct SystemCallRow {
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  std::int32_t name_id;
};
template <>
struct RowTraits<SystemCallRow> {
  static constexpr const char* kTable = "SYSCALL";
  static constexpr auto kColumns = columns<SystemCallRow>(
      &SystemCallRow::start, &SystemCallRow::end, constant(EventClass::kSystemCall),
      &SystemCallRow::global_tid, &SystemCallRow::name_id, kNullColumn);
};

// ENUM_SAMPLING_THREAD_STATE
enum class ThreadState : std::int32_t {
  kUnknown = 0,
  kRunning = 1,
  kTerminated = 5,
  kUnscheduled = 6,
  kWaiting = 7,
};

struct SampleRow {
  std::int64_t id;
  std::int64_t start;
  std::int64_t global_tid;
  std::int32_t cpu;
  std::int32_t weight = 1;  // sampling periods that the sample stands for
};
template <>
struct RowTraits<SampleRow> {
  static constexpr const char* kTable = "COMPOSITE_EVENTS";
  static constexpr auto kColumns = columns<SampleRow>(
      &SampleRow::id, &SampleRow::start, &SampleRow::cpu, constant(ThreadState::kRunning),
      &SampleRow::global_tid, &SampleRow::weight);
};

struct SampleFrameRow;

// A frame of a call chain, without the chain that it belongs to.
struct StackFrame {
  std::int64_t address = 0;
  std::int32_t symbol = 0;  // StringIds.id
  std::int32_t module = 0;  // StringIds.id
  std::int32_t method = 0;  // ENUM_STACK_UNWIND_METHOD
  std::int32_t line = 0;
  bool is_kernel = false;
  bool is_unresolved = false;                // `symbol` is not a name
  bool is_special = false;                   // not code, but a remark about the chain
  std::uint32_t nulls = optional_columns();  // columns of SampleFrameRow

  template <auto field>
  bool has() const {
    return (nulls & null_bits<SampleFrameRow>(field)) == 0;
  }
  template <auto field, class Value>
  void set(Value value) {
    this->*field = value;
    nulls &= ~null_bits<SampleFrameRow>(field);
  }

 private:
  static constexpr std::uint32_t optional_columns();
};

struct SampleFrameRow : StackFrame {
  std::int64_t id;  // SampleRow::id
  std::int32_t depth;
};
template <>
struct RowTraits<SampleFrameRow> {
  static constexpr const char* kTable = "SAMPLING_CALLCHAINS";
  static constexpr auto kColumns = columns<SampleFrameRow>(
      &SampleFrameRow::id, &SampleFrameRow::symbol, &SampleFrameRow::module,
      &SampleFrameRow::is_kernel, constant(0), &SampleFrameRow::is_unresolved,
      &SampleFrameRow::is_special, &SampleFrameRow::address, &SampleFrameRow::method,
      &SampleFrameRow::depth, &SampleFrameRow::line);
};

// nsys has 0 in kernelMode, thumbCode and unresolved, but NULL in specialEntry.
constexpr std::uint32_t StackFrame::optional_columns() {
  return null_bits<SampleFrameRow>(&StackFrame::address, &StackFrame::line,
                                   &StackFrame::is_special);
}

struct CodePlaceRow {
  std::int64_t address;
  std::int64_t offset;
  std::int32_t module;    // StringIds.id
  std::int32_t build_id;  // StringIds.id
  std::int32_t is_return_address;
  std::uint32_t nulls;
  auto operator<=>(const CodePlaceRow&) const = default;  // NOLINT(modernize-use-nullptr)
};
template <>
struct RowTraits<CodePlaceRow> {
  static constexpr const char* kTable = "PROF_CODE_PLACES";
  static constexpr auto kColumns = columns<CodePlaceRow>(
      &CodePlaceRow::module, &CodePlaceRow::address, &CodePlaceRow::is_return_address,
      &CodePlaceRow::offset, &CodePlaceRow::build_id);
};

struct ScheduleRow {
  std::int64_t start;
  std::int64_t global_tid;
  std::int32_t cpu;
  std::int32_t is_in;
  ThreadState state;
};
template <>
struct RowTraits<ScheduleRow> {
  static constexpr const char* kTable = "SCHED_EVENTS";
  static constexpr auto kColumns =
      columns<ScheduleRow>(&ScheduleRow::start, &ScheduleRow::cpu, &ScheduleRow::is_in,
                           &ScheduleRow::global_tid, &ScheduleRow::state, kNullColumn);
};

// ENUM_NSYS_EVENT_TYPE values that NVTX_EVENTS uses.
enum class NvtxEventType : std::int32_t {
  kCategory = 33,
  kMark = 34,
  kThreadName = 39,
  kPushPop = 59,
  kStartEnd = 60,
  kDomainCreate = 75,
  kDomainDestroy = 76,
};

// The columns of a payload, in the order of the table. A row has one of them at most.
enum class NvtxPayloadColumn : unsigned { kUint64, kInt64, kDouble, kUint32, kInt32, kFloat };

struct NvtxRow {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t range_id = 0;
  std::int64_t global_tid = 0;
  std::int64_t end_global_tid = 0;
  std::string_view text;
  std::int64_t integer = 0;  // an integer payload, of any of its four columns
  double real = 0;           // a floating-point payload, of any of its two columns
  std::string_view json;     // values of a payload with a schema
  Blob binary;               // its bytes
  NvtxEventType event_type = NvtxEventType::kMark;
  std::uint32_t category = 0;
  std::uint32_t color = 0;
  std::int32_t text_id = 0;
  std::int32_t domain_id = 0;
  bool is_open = false;     // the range never ended
  std::int64_t weight = 1;  // ranges or marks that it stands for
  std::uint32_t nulls = optional_columns();

  // A range or a mark, not the name of something.
  bool is_event() const {
    return event_type == NvtxEventType::kMark || event_type == NvtxEventType::kPushPop ||
           event_type == NvtxEventType::kStartEnd;
  }
  // Optional fields are NULL until they are set.
  template <auto field>
  bool has() const {
    return (nulls & null_bits<NvtxRow>(field)) == 0;
  }
  template <auto field, class Value>
  void set(Value value) {
    this->*field = value;
    nulls &= ~null_bits<NvtxRow>(field);
  }
  template <auto field>
  void clear() {
    nulls |= null_bits<NvtxRow>(field);
  }
  void set_payload(NvtxPayloadColumn column, std::int64_t value);
  void set_payload(NvtxPayloadColumn column, double value);

 private:
  static constexpr std::uint32_t optional_columns();
  static constexpr std::uint32_t null_bit(NvtxPayloadColumn column);
};
template <>
struct RowTraits<NvtxRow> {
  static constexpr const char* kTable = "NVTX_EVENTS";
  static constexpr auto kColumns = columns<NvtxRow>(
      &NvtxRow::start, &NvtxRow::end, &NvtxRow::event_type, &NvtxRow::range_id, &NvtxRow::category,
      &NvtxRow::color, &NvtxRow::text, &NvtxRow::global_tid, &NvtxRow::end_global_tid,
      &NvtxRow::text_id, &NvtxRow::domain_id, &NvtxRow::integer, &NvtxRow::integer, &NvtxRow::real,
      &NvtxRow::integer, &NvtxRow::integer, &NvtxRow::real, kNullColumn, &NvtxRow::json,
      &NvtxRow::binary, &NvtxRow::is_open, &NvtxRow::weight);
  static constexpr bool kHasWeight = true;
};

constexpr std::uint32_t NvtxRow::optional_columns() {
  return ~null_bits<NvtxRow>(&NvtxRow::start, &NvtxRow::event_type, &NvtxRow::global_tid,
                             &NvtxRow::domain_id);
}
constexpr std::uint32_t NvtxRow::null_bit(NvtxPayloadColumn column) {
  constexpr std::uint32_t kFirst = null_bits<NvtxRow>(&NvtxRow::integer);
  return kFirst << static_cast<unsigned>(column);
}
inline void NvtxRow::set_payload(NvtxPayloadColumn column, std::int64_t value) {
  integer = value;
  nulls &= ~null_bit(column);
}
inline void NvtxRow::set_payload(NvtxPayloadColumn column, double value) {
  real = value;
  nulls &= ~null_bit(column);
}

struct FileEventRow {
  std::int64_t start;
  std::int64_t end;
  std::int64_t thread;  // tid
  std::int64_t bytes;
  std::int64_t access;
  std::int32_t type;  // wire::FileOperation
  std::int32_t name_id;
  std::string_view context = "";
};
template <>
struct RowTraits<FileEventRow> {
  static constexpr const char* kTable = "OSRT_FILE_ACCESS_EVENTS";
  static constexpr auto kColumns = columns<FileEventRow>(
      &FileEventRow::access, &FileEventRow::thread, &FileEventRow::start, &FileEventRow::end,
      &FileEventRow::type, &FileEventRow::name_id, &FileEventRow::bytes, &FileEventRow::context);
};

struct OverheadRow {
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  std::int32_t name_id;
};
template <>
struct RowTraits<OverheadRow> {
  static constexpr const char* kTable = "PROFILER_OVERHEAD";
  static constexpr auto kColumns =
      columns<OverheadRow>(&OverheadRow::start, &OverheadRow::end, &OverheadRow::global_tid,
                           &OverheadRow::name_id, constant(0));
};

}  // namespace prof::report
