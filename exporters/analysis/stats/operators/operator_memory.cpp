// operator_memory: GPU memory by the operators and modules that allocate it.
#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <vector>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory_changes.hpp"
#include "exporters/analysis/events/memory_operations.hpp"
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
    const OperatorRanges::Place place = ranges_.place(call->global_tid, call->start);
    owner.module = ranges_.scope_path(place.scope);
    owner.direction = operators::name_of(place.direction);
    name(*call, place, owner);
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

  // Without an operator it is the call of a library or of CUDA.
  void name(const events::ApiCall& call, const OperatorRanges::Place& place, Owner& owner) {
    const operators::Origin origin =
        operators::origin_of(ranges_, place, libraries_, call.global_tid, call.start);
    owner.source = operators::name_of(origin.source);
    if (origin.source == operators::Source::kOperator) {
      const operators::ParsedName& parsed = ranges_.parsed(place.innermost);
      owner.name = ranges_.text(parsed.name);
      owner.shapes = ranges_.text(parsed.sizes);
      const char* category = operators::category_of(owner.name);
      owner.category = category == nullptr ? "other" : category;
    } else if (origin.source == operators::Source::kLibrary) {
      owner.name = strings_.text(origin.library);
    } else {
      owner.name = events::without_version(strings_.text(call.name));
    }
  }

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

  void add(const MemoryChange& change, OwnedMemory& owner) {
    if (!change.is_release) {
      ++owner.allocations;
      owner.allocated = events::sum(owner.allocated, change.bytes);
      owner.largest = std::max(owner.largest, change.bytes);
    }
    owner.in_use = events::sum(owner.in_use, change.bytes);
    in_use = events::sum(in_use, change.bytes);
    steps.push_back({change.bytes, &owner});
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

void add_rows(const MemoryKey& key, const DeviceMemory& memory, tables::Table& table) {
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
                          events::pid_of(key.global_pid), key.device,
                          events::memory_kind_name(key.kind), owner->name, owner->shapes,
                          owner->direction, owner->module, owner->category, owner->source});
}

}  // namespace

base::Result<tables::Table> operator_memory(const report::ReportReader& reader,
                                            const Arguments& arguments) {
  auto owners = Owners::read(reader, arguments.operators_by);
  if (!owners) return tl::make_unexpected(owners.error());
  std::map<MemoryKey, DeviceMemory> devices;
  std::vector<OwnedMemory*> owner_of;  // by allocation
  const base::Status read = events::for_each_memory_change(reader, [&](const MemoryChange& change) {
    DeviceMemory& device = devices[change.key];
    if (!change.is_release) owner_of.push_back(&device.owners[owners->of(change)]);
    device.add(change, *owner_of[static_cast<std::size_t>(change.allocation)]);
  });
  if (!read) return tl::make_unexpected(read.error());
  tables::Table table{memory_columns(), {}};
  for (auto& [key, device] : devices) {
    device.find_shares_of_peak();
    add_rows(key, device, table);
  }
  return table;
}

}  // namespace prof::stats
