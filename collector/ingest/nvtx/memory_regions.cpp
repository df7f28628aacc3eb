#include "collector/ingest/nvtx/memory_regions.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace prof::ingest {

using wire::NvtxMemory;

namespace {

NvtxMemory what_of(const wire::NvtxMemoryRecord& record) {
  return static_cast<NvtxMemory>(record.header.flags);
}

bool is_region(const wire::NvtxMemoryRecord& record) {
  return what_of(record) == NvtxMemory::kRegion;
}

report::Value or_null(std::uint64_t number) {
  if (number == 0) return nullptr;
  return static_cast<std::int64_t>(number);
}

}  // namespace

void MemoryRegions::add(std::uint32_t serial, std::int64_t global_tid,
                        const wire::NvtxMemoryRecord& record) {
  events_.push_back({serial, global_tid, record});
}

void MemoryRegions::apply(const Event& event) {
  const wire::NvtxMemoryRecord& record = event.record;
  const Domain domain{event.serial, record.header.aux};
  const std::int64_t time = clock_.to_ns(record.time);
  switch (what_of(record)) {
    case NvtxMemory::kHeap:
      return begin_heap(event);
    case NvtxMemory::kHeapEnd:
      return end_heap(domain, record.object, time, false);
    case NvtxMemory::kHeapReset:
      return end_heap(domain, record.object, time, true);
    case NvtxMemory::kRegion:
      return begin_region(event);
    case NvtxMemory::kRegionResized:
      return resize(domain, region_of(domain, record), time, record.size);
    case NvtxMemory::kRegionEnd:
      return end_region(domain, region_of(domain, record), time);
    case NvtxMemory::kName:
      return name(domain, region_of(domain, record), record);
  }
}

// Returns 0 if there is no such region.
std::uint64_t MemoryRegions::region_of(const Domain& domain,
                                       const wire::NvtxMemoryRecord& record) const {
  if (record.object != 0)
    return open_regions_.contains({domain, record.object}) ? record.object : 0;
  const auto found = by_address_.find({domain, record.address});
  return found == by_address_.end() ? 0 : *found->second.rbegin();
}

void MemoryRegions::begin_heap(const Event& event) {
  const wire::NvtxMemoryRecord& record = event.record;
  const std::pair key{Domain{event.serial, record.header.aux}, record.object};
  open_heaps_[key] = {clock_.to_ns(record.time), event.global_tid, record};
  if (record.name != 0) heaps_[key].name = strings_.text(record.name);
}

void MemoryRegions::end_heap(const Domain& domain, std::uint64_t heap, std::int64_t time,
                             bool is_reset) {
  const auto known = heaps_.find({domain, heap});
  if (known != heaps_.end()) {
    const std::set<std::uint64_t> regions = std::move(known->second.regions);
    for (const std::uint64_t region : regions) end_region(domain, region, time);
  }
  if (is_reset) return;
  const auto found = open_heaps_.find({domain, heap});
  if (found == open_heaps_.end()) return;
  write(found->second, time);
  open_heaps_.erase(found);
}

void MemoryRegions::begin_region(const Event& event) {
  const wire::NvtxMemoryRecord& record = event.record;
  const Domain domain{event.serial, record.header.aux};
  const Part region{clock_.to_ns(record.time), event.global_tid, record};
  if (!open_regions_.try_emplace({domain, record.object}, region).second) return;
  if (record.address != 0) by_address_[{domain, record.address}].insert(record.object);
  heaps_[{domain, record.heap}].regions.insert(record.object);
  count(domain, region, region.start, static_cast<std::int64_t>(record.size));
}

void MemoryRegions::resize(const Domain& domain, std::uint64_t region, std::int64_t time,
                           std::uint64_t size) {
  if (region == 0) return;
  Part& part = open_regions_.at({domain, region});
  write(part, time);
  part.start = time;
  const std::uint64_t change = size - part.record.size;
  part.record.size = size;
  count(domain, part, time, static_cast<std::int64_t>(change));
}

void MemoryRegions::end_region(const Domain& domain, std::uint64_t region, std::int64_t time) {
  if (region == 0) return;
  const auto found = open_regions_.find({domain, region});
  const Part& part = found->second;
  write(part, time);
  count(domain, part, time, static_cast<std::int64_t>(0 - part.record.size));
  const auto at = by_address_.find({domain, part.record.address});
  if (at != by_address_.end()) {
    at->second.erase(region);
    if (at->second.empty()) by_address_.erase(at);
  }
  heaps_[{domain, part.record.heap}].regions.erase(region);
  open_regions_.erase(found);
}

// A region has one row, with its last name.
void MemoryRegions::name(const Domain& domain, std::uint64_t region,
                         const wire::NvtxMemoryRecord& record) {
  if (region == 0) return;
  Part& part = open_regions_.at({domain, region});
  part.record.name = record.name;
  part.record.category = record.category;
}

void MemoryRegions::count(const Domain& domain, const Part& region, std::int64_t time,
                          std::int64_t change) {
  const std::uint64_t number = region.record.heap;
  Heap& heap = heaps_[{domain, number}];
  // The size comes from the program, so sums are unsigned: they cannot overflow in an undefined
  // way.
  heap.bytes = static_cast<std::int64_t>(static_cast<std::uint64_t>(heap.bytes) +
                                         static_cast<std::uint64_t>(change));
  if (is_outside(time, time)) return;
  if (heap.counter == 0) {
    if (heap.name.empty())
      heap.name = number == 0 ? "whole process" : "heap " + std::to_string(number);
    heap.counter = metrics_.next_counter_type(std::int64_t{domain.second});
    if (heap.counter == 0) return;
  }
  const std::int64_t event = metrics_.next_event();
  writer_.add(report::GenericEventRow{event, time, heap.counter, region.global_tid});
  writer_.add(report::GenericValueRow{
      .event = event,
      .integer = heap.bytes,
      .field = 0,
      .nulls = report::nulls_without(report::GenericValueColumn::kInteger)});
}

void MemoryRegions::write(const Part& part, std::optional<std::int64_t> end) {
  if (is_outside(part.start, end.value_or(part.start))) return;
  const wire::NvtxMemoryRecord& r = part.record;
  const bool region = is_region(r);
  const auto id = static_cast<std::int64_t>(r.object);
  writer_.add(
      "PROF_NVTX_MEMORY",
      {part.start, end ? report::Value(*end) : nullptr, part.global_tid, std::int64_t{r.header.aux},
       region ? static_cast<std::int64_t>(r.heap) : id, region ? report::Value(id) : nullptr,
       r.name == 0 ? report::Value(nullptr)
                   : std::int64_t{writer_.string_id(strings_.text(r.name))},
       or_null(r.category), or_null(r.address),
       r.address == 0 ? report::Value(nullptr) : static_cast<std::int64_t>(r.size), or_null(r.type),
       or_null(r.usage)});
}

void MemoryRegions::describe(const Domain& domain, const Heap& heap) {
  const std::string name = "memory of " + heap.name;
  nlohmann::ordered_json json;
  json["counter"] = name;
  json["description"] = "size of the regions of the heap (nvtxMemRegionsRegister)";
  json["domainId"] = domain.second;
  json["globalPid"] = processes_.global_pid_of(domain.first);
  json["unit"] = "bytes";
  json["interpolation"] = "until next";
  const std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  writer_.add("GENERIC_EVENT_TYPES",
              {heap.counter, metrics_.counter_source(), std::int64_t{writer_.string_id(name)},
               nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
               nullptr, nullptr, std::string_view(text)});
  writer_.add(
      "GENERIC_EVENT_TYPE_FIELDS",
      {heap.counter, std::int64_t{0}, std::int64_t{writer_.string_id("in regions")},
       std::int64_t{0}, std::int64_t{8}, std::int64_t{0}, nullptr, nullptr, nullptr, nullptr,
       nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, std::string_view("bytes")});
}

void MemoryRegions::finish() {
  std::ranges::stable_sort(events_, {}, [](const Event& event) { return event.record.time; });
  for (const Event& event : events_) apply(event);
  for (const auto& [key, heap] : open_heaps_) write(heap, std::nullopt);
  for (const auto& [key, region] : open_regions_) write(region, std::nullopt);
  for (const auto& [key, heap] : heaps_)
    if (heap.counter != 0) describe(key.first, heap);
}

}  // namespace prof::ingest
