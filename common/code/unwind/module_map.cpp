#include "common/code/unwind/module_map.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace prof::unwind {
namespace {

// Limits the ancestors of a process, of which there are many if it is forked again and again, as
// some daemons are.
constexpr std::size_t kMaxAncestors = 16;

// False for mappings that have a name, but no file with their content.
bool is_file(std::string_view path) {
  if (path.empty() || path[0] != '/') return false;
  if (path.starts_with("/dev/")) return path.starts_with("/dev/shm/");
  for (const std::string_view prefix : {"//", "/SYSV", "/anon_hugepage"})
    if (path.starts_with(prefix)) return false;
  return true;
}

Mapping part_of(const Mapping& mapping, std::uint64_t start, std::uint64_t end) {
  Mapping part = mapping;
  part.start = start;
  part.end = end;
  part.offset = mapping.offset + (start - mapping.start);
  return part;
}

auto first_above(const std::vector<Mapping>& mappings, std::uint64_t address) {
  return std::upper_bound(mappings.begin(), mappings.end(), address,
                          [](std::uint64_t at, const Mapping& each) { return at < each.start; });
}

}  // namespace

std::shared_ptr<Module> ModuleMap::module_of(const MapEvent& event) const {
  if (event.path == "[vdso]") return modules_->vdso();
  if (!is_file(event.path)) return {};
  return modules_->find(event, pid());
}

ModuleMap ModuleMap::forked(pid_t child, std::uint64_t time) const {
  ModuleMap copy = *this;
  copy.lineage_.insert(copy.lineage_.begin(), child);
  if (copy.lineage_.size() > kMaxAncestors) copy.lineage_.resize(kMaxAncestors);
  copy.jit_ = modules_->jit().fork(pid(), child, time);
  copy.forget_before(time);
  return copy;
}

void ModuleMap::add(const MapEvent& event) {
  if (event.length == 0 || event.start + event.length <= event.start) return;
  if (!event.executable) return remove(event.start, event.length, event.time);
  if (symbols::JitDump::is_dump_name(event.path))
    modules_->jit().found_dump(pid(), event.path, event.inode);
  Mapping mapping;
  mapping.start = event.start;
  mapping.end = event.start + event.length;
  mapping.offset = event.path == "[vdso]" ? 0 : event.offset;
  mapping.from = event.time;
  mapping.owner = event.may_be_inherited ? lineage_.back() : pid();
  add_module(module_of(event), std::move(mapping));
}

void ModuleMap::add_module(std::shared_ptr<Module> module, Mapping mapping) {
  mapping.module = std::move(module);
  const std::uint64_t time = mapping.from;
  // Newer mappings in the same place stay. The added mapping ends where they start.
  std::vector<Mapping> later;
  for (const Mapping& each : live_)
    if (each.from > time && each.start < mapping.end && each.end > mapping.start)
      later.push_back(each);
  remove(mapping.start, mapping.end - mapping.start, time);
  std::uint64_t at = mapping.start;
  for (const Mapping& each : later) {
    const std::uint64_t start = std::max(each.start, at);
    if (at < start) insert(part_of(mapping, at, start));
    const std::uint64_t stop = std::min(each.end, mapping.end);
    end(part_of(mapping, start, stop), each.from);
    at = stop;
  }
  if (at < mapping.end) insert(part_of(mapping, at, mapping.end));
}

std::span<const pid_t> ModuleMap::makers_of_code(const Mapping& mapping) const {
  const auto owner = std::ranges::find(lineage_, mapping.owner);
  const auto count = owner - lineage_.begin() + (owner == lineage_.end() ? 0 : 1);
  return std::span(lineage_).first(static_cast<std::size_t>(count));
}

void ModuleMap::insert(Mapping mapping) {
  live_.insert(first_above(live_, mapping.start), std::move(mapping));
}

void ModuleMap::remove(std::uint64_t start, std::uint64_t length, std::uint64_t time) {
  const std::uint64_t stop = start + length;
  if (stop <= start) return;
  auto first = first_above(live_, start);
  if (first != live_.begin() && std::prev(first)->end > start) --first;
  auto last = first;
  std::vector<Mapping> kept;
  while (last != live_.end() && last->start < stop) {
    const Mapping& each = *last++;
    if (each.from > time) {  // newer than `time`
      kept.push_back(each);
      continue;
    }
    if (each.start < start) kept.push_back(part_of(each, each.start, start));
    end(part_of(each, std::max(each.start, start), std::min(each.end, stop)), time);
    if (each.end > stop) kept.push_back(part_of(each, stop, each.end));
  }
  const auto position = live_.erase(first, last);
  live_.insert(position, kept.begin(), kept.end());
}

void ModuleMap::end(Mapping mapping, std::uint64_t time) {
  mapping.until = time;
  if (mapping.until <= mapping.from) return;
  const auto position =
      std::upper_bound(ended_.begin(), ended_.end(), mapping.start,
                       [](std::uint64_t at, const Ended& each) { return at < each.mapping.start; });
  const auto inserted = ended_.insert(position, Ended{std::move(mapping)});
  update_highest_ends(static_cast<std::size_t>(inserted - ended_.begin()));
}

void ModuleMap::update_highest_ends(std::size_t first) {
  std::uint64_t highest = first > 0 ? ended_[first - 1].highest_end : 0;
  for (std::size_t i = first; i < ended_.size(); ++i)
    ended_[i].highest_end = highest = std::max(highest, ended_[i].mapping.end);
}

void ModuleMap::forget_before(std::uint64_t time) {
  std::erase_if(ended_, [&](const Ended& each) { return each.mapping.until <= time; });
  update_highest_ends(0);
}

bool ModuleMap::is_occupied(std::uint64_t start, std::uint64_t end) const {
  const auto above = first_above(live_, start);
  return (above != live_.end() && above->start < end) ||
         (above != live_.begin() && std::prev(above)->end > start);
}

const Mapping* ModuleMap::find(std::uint64_t address, std::uint64_t time) const {
  const auto live = first_above(live_, address);
  if (live != live_.begin() && std::prev(live)->holds(address, time)) return &*std::prev(live);
  auto ended =
      std::upper_bound(ended_.begin(), ended_.end(), address,
                       [](std::uint64_t at, const Ended& each) { return at < each.mapping.start; });
  while (ended != ended_.begin() && (--ended)->highest_end > address)
    if (ended->mapping.holds(address, time)) return &ended->mapping;
  return nullptr;
}

}  // namespace prof::unwind
