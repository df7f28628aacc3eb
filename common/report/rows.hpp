// A plain struct for each table of the report that has many rows, and the list of its columns.
//
// tables.py makes these structs from schema/*.sql. This file has the parts that no table defines.
// Times are ns on the session's timeline, sizes are in bytes; ids of devices, contexts and streams
// are those of the process. docs/schema.md explains the other ids, and which columns can be NULL.
// The writer collects rows in batches and hands them to SQLite through a virtual table
// (row_source.hpp).
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "common/report/columns.hpp"
#include "common/report/event_classes.hpp"
#include "common/report/vulkan_classes.hpp"

namespace prof::report {

// Values of ENUM_SAMPLING_THREAD_STATE.
enum class ThreadState : std::int32_t {
  kUnknown = 0,
  kRunning = 1,
  kTerminated = 5,
  kUnscheduled = 6,
  kWaiting = 7,
};

// The values of ENUM_NSYS_EVENT_TYPE that NVTX_EVENTS uses.
enum class NvtxEventType : std::int32_t {
  kCategory = 33,
  kMark = 34,
  kThreadName = 39,
  kPushPop = 59,
  kStartEnd = 60,
  kDomainCreate = 75,
  kDomainDestroy = 76,
};

// A call of one of NVIDIA's libraries. Each library has a table; all have the same columns.
struct LibraryCall {
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  std::int32_t name_id;
};

// What the rows of all events of OpenACC have.
struct OpenAccRow {
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  std::int64_t kind;
  std::int64_t device_type;
  std::int64_t line;
  std::int64_t device;
  std::int64_t file;
  std::int64_t function;
  std::int64_t name_id;
};

// The base of structs with optional fields, which are NULL until they are set. `Fields` has the
// fields and `nulls`; it is the row or a base of it.
template <class Row, class Fields = Row>
struct OptionalColumns {
  bool operator==(const OptionalColumns&) const = default;
  template <auto field>
  bool has() const {
    return (static_cast<const Fields*>(this)->nulls & null_bits<Row>(field)) == 0;
  }
  template <auto field, class Value>
  void set(Value value) {
    static_cast<Fields*>(this)->*field = value;
    static_cast<Fields*>(this)->nulls &= ~null_bits<Row>(field);
  }
  template <auto field>
  void clear() {
    static_cast<Fields*>(this)->nulls |= null_bits<Row>(field);
  }
};

struct SampleFrameRow;

// A frame of a call chain, without the id of the chain.
struct StackFrame : OptionalColumns<SampleFrameRow, StackFrame> {
  std::int64_t address = 0;
  std::int32_t symbol = 0;  // StringIds.id
  std::int32_t module = 0;  // StringIds.id
  std::int32_t method = 0;  // ENUM_STACK_UNWIND_METHOD
  std::int32_t line = 0;
  bool is_kernel = false;
  bool is_unresolved = false;                // `symbol` is not a name
  bool is_special = false;                   // a remark about the chain instead of code
  std::uint32_t nulls = optional_columns();  // mask of NULL columns of SampleFrameRow

  bool operator==(const StackFrame&) const = default;

 private:
  static constexpr std::uint32_t optional_columns();
};

#include "table_rows.inc"

// The columns that are NULL unless they are set. nsys has 0 in kernelMode, thumbCode and
// unresolved, but NULL in specialEntry.
constexpr std::uint32_t StackFrame::optional_columns() {
  return null_bits<SampleFrameRow>(&StackFrame::address, &StackFrame::line,
                                   &StackFrame::is_special);
}

// True if the row is a range or a mark, false if it names something.
inline bool is_event(const NvtxRow& row) {
  return row.event_type == NvtxEventType::kMark || row.event_type == NvtxEventType::kPushPop ||
         row.event_type == NvtxEventType::kStartEnd;
}

// The columns of a payload, in the order of the table. A row has at most one of them.
enum class NvtxPayloadColumn : unsigned { kUint64, kInt64, kDouble, kUint32, kInt32, kFloat };

constexpr std::uint32_t null_bit(NvtxPayloadColumn column) {
  constexpr std::uint32_t kFirst = null_bits<NvtxRow>(&NvtxRow::integer);
  return kFirst << static_cast<unsigned>(column);
}
inline void set_payload(NvtxRow& row, NvtxPayloadColumn column, std::int64_t value) {
  row.integer = value;
  row.nulls &= ~null_bit(column);
}
inline void set_payload(NvtxRow& row, NvtxPayloadColumn column, double value) {
  row.real = value;
  row.nulls &= ~null_bit(column);
}

// The columns of a value, in the order of the table. A row has exactly one of them.
enum class GenericValueColumn : unsigned { kInteger, kUnsigned, kFloat, kDouble };

constexpr std::uint32_t nulls_without(GenericValueColumn column) {
  constexpr std::uint32_t kFirst = null_bits<GenericValueRow>(&GenericValueRow::integer);
  return 15 * kFirst & ~(kFirst << static_cast<unsigned>(column));
}

}  // namespace prof::report
