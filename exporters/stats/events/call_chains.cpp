#include "exporters/stats/events/call_chains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "exporters/stats/events/api_calls.hpp"
#include "exporters/stats/events/chain_rows.hpp"

namespace prof::stats {

namespace {

void take_off(std::string_view& name, std::string_view prefix) {
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
}

// What the names of a function and of its symbols have in common.
std::string_view core_of(std::string_view name) {
  name = name.substr(0, name.find('@'));
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  for (const std::string_view prefix : {"GI_", "libc_", "IO_", "new_"}) take_off(name, prefix);
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  if (name.ends_with("64")) name.remove_suffix(2);
  return name;
}

}  // namespace

bool is_symbol_of(std::string_view symbol, std::string_view function) {
  return core_of(symbol) == core_of(without_version(function));
}

base::Result<Callers> Callers::read(const report::ReportReader& reader, const char* table,
                                    std::int64_t depth, Strings& strings, const CodeLines* lines) {
  Callers callers(strings, depth, lines);
  // What comes before a caller is not much.
  constexpr std::int64_t kMore = 4;
  const std::string which = depth < 0 ? "" : fmt::format("WHERE stackDepth < {}", depth + kMore);
  std::unordered_map<std::int64_t, std::int64_t> rows;  // in order so far, by chain
  std::unordered_map<std::int64_t, std::map<std::int64_t, Frames>> unsorted;
  const base::Status read = report::scan(
      reader, chain_columns(reader, table), fmt::format("{} {}", report::quoted(table), which),
      [&](const report::Row& row) {
        const std::int64_t id = chain_id(row);
        Frames& frames = callers.chains_[id];
        std::int64_t& next = rows[id];
        const bool in_order = chain_depth(row) == next;
        if (in_order) ++next;
        callers.code_.add(chain_row(row), in_order ? frames : unsorted[id][chain_depth(row)]);
      });
  if (!read) return tl::make_unexpected(read.error());
  for (auto& [id, rest] : unsorted)
    for (const auto& [depth_of_row, frames] : rest) {
      Frames& chain = callers.chains_[id];
      chain.insert(chain.end(), frames.begin(), frames.end());
    }
  return callers;
}

std::int64_t Callers::of_chain(std::int64_t id, std::int64_t function) {
  const auto chain = chains_.find(id);
  if (chain == chains_.end()) return kNone;
  const auto [at, is_new] = known_.try_emplace(id, Known{function, kNone});
  if (is_new || at->second.function != function)
    at->second = {function, number(chain->second, strings_.text(function))};
  return at->second.caller;
}

std::int64_t Callers::number(const Frames& frames, std::string_view function) {
  std::size_t first = 0;
  // A chain that has nothing else is the function's.
  while (first + 1 < frames.size() &&
         (is_of_a_profiler(code_.function_of(frames[first]).module) ||
          is_symbol_of(code_.function_of(frames[first]).name, function)))
    ++first;
  std::size_t end = frames.size();
  if (depth_ >= 0) end = std::min(end, first + static_cast<std::size_t>(depth_));
  Caller caller;
  for (std::size_t i = first; i < end; ++i) {
    const char* between = i == first ? "" : " < ";
    const Function& each = code_.function_of(frames[i]);
    caller.functions += between + each.name;
    caller.places += between;
    caller.places +=
        each.kind == CodeKind::kMark ? "[Unknown]" : location(each, code_.frame(frames[i]).line);
  }
  const auto [at, is_new] = numbers_.try_emplace(caller.functions + '\0' + caller.places,
                                                 static_cast<std::int64_t>(texts_.size()));
  if (is_new) texts_.push_back(std::move(caller));
  return at->second;
}

}  // namespace prof::stats
