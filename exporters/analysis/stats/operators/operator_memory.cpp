// operator_memory: memory by the operators and modules that allocate it.
#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory/memory_changes.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/memory/torch_memory.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/operators/library_calls.hpp"
#include "exporters/analysis/operators/operator_model.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using events::MemoryChange;
using events::MemoryKey;
using operators::GroupBy;
using operators::OperatorRanges;
using tables::CellKind;

namespace {

// What allocates memory. Texts that allocations of a row may not have in common are empty.
struct Owner {
  std::string name;
  std::string shapes;
  std::string direction;
  std::string module;
  std::string category;
  std::string source;
  auto operator<=>(const Owner&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Finds the owners of allocations.
class Owners {
 public:
  static base::Result<Owners> read(const report::ReportReader& reader, GroupBy by) {
    auto ranges = OperatorRanges::read(reader, events::RangeTree::Ranges::kRecorded);
    if (!ranges) return tl::make_unexpected(ranges.error());
    auto calls = events::ApiCalls::read(reader);
    if (!calls) return tl::make_unexpected(calls.error());
    auto libraries = operators::LibraryCalls::read(reader);
    if (!libraries) return tl::make_unexpected(libraries.error());
    return Owners(reader, by, std::move(*ranges), std::move(*calls), std::move(*libraries));
  }

  Owner of(const MemoryChange& change) {
    const events::ApiCall* call = calls_.launching(change.key.global_pid, change.correlation);
    Owner owner;
    if (call == nullptr) {
      owner.source = operators::name_of(operators::Source::kName);
      return only_grouped(owner);
    }
    return at(call->global_tid, call->start, events::without_version(strings_.text(call->name)));
  }

  // `otherwise`: the name without an operator and a call of a library.
  Owner at(std::int64_t global_tid, std::int64_t time, std::string_view otherwise) {
    Owner owner;
    const OperatorRanges::Place place = ranges_.place(global_tid, time);
    owner.module = ranges_.scope_path(place.scope);
    owner.direction = operators::name_of(place.direction);
    const operators::LibraryCall* library = libraries_.around(global_tid, time);
    const operators::Source source = operators::source_of(ranges_, place, library);
    owner.source = operators::name_of(source);
    if (source == operators::Source::kOperator) {
      const operators::ParsedName& parsed = ranges_.parsed(place.innermost);
      owner.name = ranges_.text(parsed.name);
      owner.shapes = ranges_.text(parsed.sizes);
      const char* category = operators::category_of(owner.name);
      owner.category = category == nullptr ? "other" : category;
    } else {
      owner.name = source == operators::Source::kLibrary ? strings_.text(library->name) : otherwise;
    }
    return only_grouped(owner);
  }

 private:
  Owners(const report::ReportReader& reader, GroupBy by, OperatorRanges ranges,
         events::ApiCalls calls, operators::LibraryCalls libraries)
      : by_(by),
        ranges_(std::move(ranges)),
        calls_(std::move(calls)),
        libraries_(std::move(libraries)),
        strings_(reader) {}

  Owner only_grouped(const Owner& owner) const {
    Owner part;
    if (by_ == GroupBy::kOperator) return owner;
    if (by_ == GroupBy::kName) part.name = owner.name;
    if (by_ == GroupBy::kModule) part.module = owner.module;
    if (by_ == GroupBy::kCategory) part.category = owner.category;
    return part;
  }

  GroupBy by_;
  OperatorRanges ranges_;
  events::ApiCalls calls_;
  operators::LibraryCalls libraries_;
  events::Strings strings_;
};

// The memory of an owner. In bytes, except `allocations`.
struct OwnedMemory {
  std::int64_t allocations = 0;
  std::int64_t allocated = 0;
  std::int64_t largest = 0;
  std::int64_t in_use = 0;
  std::int64_t at_peak = 0;
};

// The memory of a kind on a device.
struct DeviceMemory {
  struct Step {
    std::int64_t bytes;
    OwnedMemory* owner;
  };
  std::map<Owner, OwnedMemory> owners;
  std::vector<Step> steps;
  std::int64_t in_use = 0;
  std::int64_t peak = 0;
  std::size_t steps_to_peak = 0;

  // `bytes`: the change of the amount in use.
  void add(bool is_release, std::int64_t bytes, OwnedMemory& owner) {
    if (!is_release) {
      ++owner.allocations;
      owner.allocated = events::sum(owner.allocated, bytes);
      owner.largest = std::max(owner.largest, bytes);
    }
    owner.in_use = events::sum(owner.in_use, bytes);
    in_use = events::sum(in_use, bytes);
    steps.push_back({bytes, &owner});
    if (in_use <= peak) return;
    peak = in_use;
    steps_to_peak = steps.size();
  }

  // Called after the last change.
  void find_shares_of_peak() {
    for (std::size_t i = 0; i < steps_to_peak; ++i)
      steps[i].owner->at_peak = events::sum(steps[i].owner->at_peak, steps[i].bytes);
  }
};

std::vector<tables::ColumnSpec> memory_columns() {
  std::vector<tables::ColumnSpec> columns{{"At Peak (%)", CellKind::kReal, 1}};
  for (const char* header : {"At Peak (bytes)", "Allocations", "Allocated (bytes)",
                             "Largest (bytes)", "Never Freed (bytes)", "PID", "Device"})
    columns.push_back({header, CellKind::kInteger});
  for (const char* header :
       {"Memory Kind", "Operator", "Shapes", "Direction", "Module", "Category", "Source"})
    columns.push_back({header, CellKind::kText});
  return columns;
}

// What all rows of a kind of memory have in common.
struct DeviceTexts {
  std::int64_t global_pid;
  std::int64_t device;
  std::string kind;
};

void add_rows(const DeviceTexts& texts, DeviceMemory& memory, tables::Table& table) {
  memory.find_shares_of_peak();
  using Row = std::pair<const Owner*, const OwnedMemory*>;
  std::vector<Row> rows;
  for (const auto& [owner, owned] : memory.owners) rows.emplace_back(&owner, &owned);
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
    return std::pair(a.second->at_peak, a.second->allocated) >
           std::pair(b.second->at_peak, b.second->allocated);
  });
  for (const auto& [owner, owned] : rows)
    table.rows.push_back({tables::percent(owned->at_peak, memory.peak), owned->at_peak,
                          owned->allocations, owned->allocated, owned->largest, owned->in_use,
                          events::pid_of(texts.global_pid), texts.device, texts.kind, owner->name,
                          owner->shapes, owner->direction, owner->module, owner->category,
                          owner->source});
}

base::Status add_cuda_memory(const report::ReportReader& reader, Owners& owners,
                             tables::Table& table) {
  if (!reader.has_table(events::kMemoryUsageTable)) return {};
  std::map<MemoryKey, DeviceMemory> devices;
  std::vector<OwnedMemory*> owner_of;  // by allocation
  base::Status read = events::for_each_memory_change(reader, [&](const MemoryChange& change) {
    DeviceMemory& device = devices[change.key];
    if (!change.is_release) owner_of.push_back(&device.owners[owners.of(change)]);
    device.add(change.is_release, change.bytes,
               *owner_of[static_cast<std::size_t>(change.allocation)]);
  });
  for (auto& [key, device] : devices)
    add_rows({key.global_pid, key.device, events::memory_kind_name(key.kind)}, device, table);
  return read;
}

base::Status add_torch_memory(const report::ReportReader& reader, Owners& owners,
                              tables::Table& table) {
  using events::TorchOperation;
  std::map<events::TorchAllocator, DeviceMemory> devices;
  std::vector<OwnedMemory*> owner_of;  // by allocation
  base::Status read =
      events::for_each_torch_event(reader, [&](const events::TorchMemoryEvent& event) {
        if (event.allocation < 0) return;
        DeviceMemory& device = devices[event.allocator];
        const bool is_release = event.operation == TorchOperation::kRelease;
        if (!is_release)
          owner_of.push_back(&device.owners[owners.at(event.global_tid, event.time, "")]);
        device.add(is_release, is_release ? -event.bytes : event.bytes,
                   *owner_of[static_cast<std::size_t>(event.allocation)]);
      });
  for (auto& [key, device] : devices)
    add_rows({key.global_pid, std::max<std::int64_t>(key.device, 0),
              "PyTorch " + events::torch_device_name(key.device_type)},
             device, table);
  return read;
}

}  // namespace

base::Result<tables::Table> operator_memory(const report::ReportReader& reader,
                                            const Arguments& arguments) {
  auto owners = Owners::read(reader, arguments.operators_by);
  if (!owners) return tl::make_unexpected(owners.error());
  tables::Table table{memory_columns(), {}};
  for (const auto add : {add_cuda_memory, add_torch_memory})
    if (const base::Status added = add(reader, *owners, table); !added)
      return tl::make_unexpected(added.error());
  return table;
}

}  // namespace prof::stats
