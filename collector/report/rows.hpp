// One plain struct per bulk table of the report, and the description that turns it into a row.
//
// Times are ns on the session's timeline; ids are explained in docs/schema.md. The writer batches
// these and feeds them to SQLite through a virtual table (row_source.hpp). A row's `nulls` has bit
// i set when column i is NULL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace prof::report {

enum class ColumnType : std::uint8_t { kInt64, kInt32, kUint32, kDouble, kText, kConstant, kNull };

// Where a column's value lies in the row struct; for kConstant the value itself.
struct Column {
  ColumnType type;
  std::int64_t at;
};

// Specialised per row type: kTable, kColumns, kNullable.
template <class Row>
struct RowTraits;

struct StringRow {
  std::int64_t id;
  std::string_view value;
};
template <>
struct RowTraits<StringRow> {
  static constexpr const char* kTable = "StringIds";
  static constexpr bool kNullable = false;
  static constexpr Column kColumns[] = {{ColumnType::kInt64, offsetof(StringRow, id)},
                                        {ColumnType::kText, offsetof(StringRow, value)}};
};

struct OsrtRow {
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  std::int64_t result;
  std::int32_t name_id;
  std::int32_t nesting_level;
  std::int64_t callchain = 0;  // OSRT_CALLCHAINS.id; 0: none
};
template <>
struct RowTraits<OsrtRow> {
  static constexpr const char* kTable = "OSRT_API";
  static constexpr bool kNullable = false;
  static constexpr std::int64_t kEventClass = 27;  // OS runtime, ENUM_NSYS_EVENT_CLASS
  static constexpr Column kColumns[] = {{ColumnType::kInt64, offsetof(OsrtRow, start)},
                                        {ColumnType::kInt64, offsetof(OsrtRow, end)},
                                        {ColumnType::kConstant, kEventClass},
                                        {ColumnType::kInt64, offsetof(OsrtRow, global_tid)},
                                        {ColumnType::kInt32, offsetof(OsrtRow, name_id)},
                                        {ColumnType::kInt64, offsetof(OsrtRow, result)},
                                        {ColumnType::kInt32, offsetof(OsrtRow, nesting_level)},
                                        {ColumnType::kInt64, offsetof(OsrtRow, callchain)}};
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
  static constexpr bool kNullable = false;
  static constexpr std::int64_t kEventClass = 107;  // ENUM_NSYS_EVENT_CLASS
  static constexpr Column kColumns[] = {{ColumnType::kInt64, offsetof(SystemCallRow, start)},
                                        {ColumnType::kInt64, offsetof(SystemCallRow, end)},
                                        {ColumnType::kConstant, kEventClass},
                                        {ColumnType::kInt64, offsetof(SystemCallRow, global_tid)},
                                        {ColumnType::kInt32, offsetof(SystemCallRow, name_id)},
                                        {ColumnType::kNull, 0}};
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
  std::int32_t weight = 1;  // periods that it stands for
};
template <>
struct RowTraits<SampleRow> {
  static constexpr const char* kTable = "COMPOSITE_EVENTS";
  static constexpr bool kNullable = false;
  static constexpr auto kRunning = static_cast<std::int64_t>(ThreadState::kRunning);
  static constexpr Column kColumns[] = {{ColumnType::kInt64, offsetof(SampleRow, id)},
                                        {ColumnType::kInt64, offsetof(SampleRow, start)},
                                        {ColumnType::kInt32, offsetof(SampleRow, cpu)},
                                        {ColumnType::kConstant, kRunning},
                                        {ColumnType::kInt64, offsetof(SampleRow, global_tid)},
                                        {ColumnType::kInt32, offsetof(SampleRow, weight)}};
};

// A frame of a native call chain.
struct StackFrame {
  // Columns that a frame may be without, for `nulls` of SampleFrameRow.
  enum Column : std::uint32_t {
    kKernelMode = 1U << 3,
    kUnresolved = 1U << 5,
    kSpecialEntry = 1U << 6,
    kAddress = 1U << 7,
    kLine = 1U << 10,
  };
  std::int64_t address = 0;
  std::int32_t symbol = 0;  // StringIds.id
  std::int32_t module = 0;
  std::int32_t method = 0;  // ENUM_STACK_UNWIND_METHOD
  std::int32_t line = 0;
  std::uint32_t nulls = kKernelMode | kUnresolved | kSpecialEntry | kAddress | kLine;

  void set(Column column) { nulls &= ~static_cast<std::uint32_t>(column); }
  bool has(Column column) const { return (nulls & column) == 0; }
};

struct SampleFrameRow {
  std::int64_t id;  // SampleRow::id
  StackFrame frame;
  std::int32_t depth;
  std::uint32_t nulls;
};
template <>
struct RowTraits<SampleFrameRow> {
  static constexpr const char* kTable = "SAMPLING_CALLCHAINS";
  static constexpr bool kNullable = true;
  static constexpr std::int64_t kFrame = offsetof(SampleFrameRow, frame);
  static constexpr Column kColumns[] = {
      {ColumnType::kInt64, offsetof(SampleFrameRow, id)},
      {ColumnType::kInt32, kFrame + offsetof(StackFrame, symbol)},
      {ColumnType::kInt32, kFrame + offsetof(StackFrame, module)},
      {ColumnType::kConstant, 1},
      {ColumnType::kNull, 0},
      {ColumnType::kConstant, 1},
      {ColumnType::kConstant, 1},
      {ColumnType::kInt64, kFrame + offsetof(StackFrame, address)},
      {ColumnType::kInt32, kFrame + offsetof(StackFrame, method)},
      {ColumnType::kInt32, offsetof(SampleFrameRow, depth)},
      {ColumnType::kInt32, kFrame + offsetof(StackFrame, line)}};
};

struct CodePlaceRow {
  static constexpr std::uint32_t kNoBuildId = 1U << 4;  // in `nulls`
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
  static constexpr bool kNullable = true;
  static constexpr Column kColumns[] = {
      {ColumnType::kInt32, offsetof(CodePlaceRow, module)},
      {ColumnType::kInt64, offsetof(CodePlaceRow, address)},
      {ColumnType::kInt32, offsetof(CodePlaceRow, is_return_address)},
      {ColumnType::kInt64, offsetof(CodePlaceRow, offset)},
      {ColumnType::kInt32, offsetof(CodePlaceRow, build_id)}};
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
  static constexpr bool kNullable = false;
  static constexpr Column kColumns[] = {{ColumnType::kInt64, offsetof(ScheduleRow, start)},
                                        {ColumnType::kInt32, offsetof(ScheduleRow, cpu)},
                                        {ColumnType::kInt32, offsetof(ScheduleRow, is_in)},
                                        {ColumnType::kInt64, offsetof(ScheduleRow, global_tid)},
                                        {ColumnType::kInt32, offsetof(ScheduleRow, state)},
                                        {ColumnType::kNull, 0}};
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

// Column numbers of NVTX_EVENTS, for NvtxRow::nulls.
enum class NvtxColumn : std::uint32_t {
  kStart,
  kEnd,
  kEventType,
  kRangeId,
  kCategory,
  kColor,
  kText,
  kGlobalTid,
  kEndGlobalTid,
  kTextId,
  kDomainId,
  kUint64,
  kInt64,
  kDouble,
  kUint32,
  kInt32,
  kFloat,
  kJsonTextId,
  kJsonText,
  kBinaryData,
  kCount
};

struct NvtxRow {
  // Everything optional starts out NULL; the setters below and set() clear the bit.
  static constexpr std::uint32_t kAllNull =
      ((1U << static_cast<unsigned>(NvtxColumn::kCount)) - 1) &
      ~(1U << static_cast<unsigned>(NvtxColumn::kStart)) &
      ~(1U << static_cast<unsigned>(NvtxColumn::kEventType)) &
      ~(1U << static_cast<unsigned>(NvtxColumn::kGlobalTid)) &
      ~(1U << static_cast<unsigned>(NvtxColumn::kDomainId));

  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t range_id = 0;
  std::int64_t global_tid = 0;
  std::int64_t end_global_tid = 0;
  std::string_view text;
  std::int64_t integer = 0;  // the integer payload, whichever column it belongs to
  double real = 0;           // the floating-point payload
  NvtxEventType event_type = NvtxEventType::kMark;
  std::uint32_t category = 0;
  std::uint32_t color = 0;
  std::int32_t text_id = 0;
  std::int32_t domain_id = 0;
  std::uint32_t nulls = kAllNull;

  // A range or a mark, not the name of something.
  bool is_event() const {
    return event_type == NvtxEventType::kMark || event_type == NvtxEventType::kPushPop ||
           event_type == NvtxEventType::kStartEnd;
  }
  void set(NvtxColumn column) { nulls &= ~(1U << static_cast<unsigned>(column)); }
};
template <>
struct RowTraits<NvtxRow> {
  static constexpr const char* kTable = "NVTX_EVENTS";
  static constexpr bool kNullable = true;
  static constexpr Column kColumns[] = {{ColumnType::kInt64, offsetof(NvtxRow, start)},
                                        {ColumnType::kInt64, offsetof(NvtxRow, end)},
                                        {ColumnType::kInt32, offsetof(NvtxRow, event_type)},
                                        {ColumnType::kInt64, offsetof(NvtxRow, range_id)},
                                        {ColumnType::kUint32, offsetof(NvtxRow, category)},
                                        {ColumnType::kUint32, offsetof(NvtxRow, color)},
                                        {ColumnType::kText, offsetof(NvtxRow, text)},
                                        {ColumnType::kInt64, offsetof(NvtxRow, global_tid)},
                                        {ColumnType::kInt64, offsetof(NvtxRow, end_global_tid)},
                                        {ColumnType::kInt32, offsetof(NvtxRow, text_id)},
                                        {ColumnType::kInt32, offsetof(NvtxRow, domain_id)},
                                        {ColumnType::kInt64, offsetof(NvtxRow, integer)},
                                        {ColumnType::kInt64, offsetof(NvtxRow, integer)},
                                        {ColumnType::kDouble, offsetof(NvtxRow, real)},
                                        {ColumnType::kInt64, offsetof(NvtxRow, integer)},
                                        {ColumnType::kInt64, offsetof(NvtxRow, integer)},
                                        {ColumnType::kDouble, offsetof(NvtxRow, real)},
                                        {ColumnType::kNull, 0},
                                        {ColumnType::kNull, 0},
                                        {ColumnType::kNull, 0}};
  static_assert(std::size(kColumns) == static_cast<std::size_t>(NvtxColumn::kCount));
};

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
  static constexpr bool kNullable = false;
  static constexpr Column kColumns[] = {{ColumnType::kInt64, offsetof(FileEventRow, access)},
                                        {ColumnType::kInt64, offsetof(FileEventRow, thread)},
                                        {ColumnType::kInt64, offsetof(FileEventRow, start)},
                                        {ColumnType::kInt64, offsetof(FileEventRow, end)},
                                        {ColumnType::kInt32, offsetof(FileEventRow, type)},
                                        {ColumnType::kInt32, offsetof(FileEventRow, name_id)},
                                        {ColumnType::kInt64, offsetof(FileEventRow, bytes)},
                                        {ColumnType::kText, offsetof(FileEventRow, context)}};
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
  static constexpr bool kNullable = false;
  static constexpr Column kColumns[] = {{ColumnType::kInt64, offsetof(OverheadRow, start)},
                                        {ColumnType::kInt64, offsetof(OverheadRow, end)},
                                        {ColumnType::kInt64, offsetof(OverheadRow, global_tid)},
                                        {ColumnType::kInt32, offsetof(OverheadRow, name_id)},
                                        {ColumnType::kConstant, 0}};
};

}  // namespace prof::report
