#include "exporters/analysis/events/call_chains/callers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/call_chains/call_chain_rows.hpp"
#include "exporters/analysis/events/call_chains/symbol_names.hpp"

namespace prof::events {

namespace {

// Returns a WHERE clause for the innermost frames and for all Python frames, as the innermost
// Python frame may be further out.
std::string needed_rows(const report::ReportReader& reader, const char* table, std::int64_t depth) {
  if (depth < 0) return "";
  // The number of frames that can precede the caller: the called function and functions of
  // profilers.
  constexpr std::int64_t kMore = 4;
  const bool has_python_frames =
      reader.has_column(table, "line") && reader.has_column(table, "originalIP");
  return fmt::format("WHERE stackDepth < {}{}", depth + kMore,
                     has_python_frames ? " OR (line IS NOT NULL AND originalIP IS NULL)" : "");
}

}  // namespace

bool is_symbol_of(std::string_view symbol, std::string_view function) {
  return base_name(symbol) == base_name(without_version(function));
}

base::Result<Callers> Callers::read(const report::ReportReader& reader, const char* table,
                                    std::int64_t depth, Strings& strings, const CodeLines* lines) {
  Callers callers(strings, depth, lines);
  std::unordered_map<std::int64_t, std::int64_t> rows;  // by chain: the number of rows in order
  std::unordered_map<std::int64_t, std::map<std::int64_t, Frames>> unsorted;
  std::vector<std::uint32_t> frames_of_row;
  const base::Status read = report::scan(
      reader, {table, call_chain_columns(reader, table), {}, needed_rows(reader, table, depth)},
      [&](const report::Row& row) {
        const std::int64_t id = chain_id(row);
        const std::int64_t at = chain_depth(row);
        Frames& chain = callers.chains_[id];
        std::int64_t& next = rows[id];
        const bool in_order = at == next;
        if (in_order) ++next;
        frames_of_row.clear();
        callers.code_.add(call_chain_row(row), frames_of_row);
        Frames& frames = in_order ? chain : unsorted[id][at];
        for (const std::uint32_t frame : frames_of_row) frames.push_back({frame, at});
      });
  if (!read) return tl::make_unexpected(read.error());
  for (auto& [id, rest] : unsorted)
    for (const auto& [at, frames] : rest) {
      Frames& chain = callers.chains_[id];
      chain.insert(chain.end(), frames.begin(), frames.end());
    }
  return callers;
}

std::int64_t Callers::caller_of(std::int64_t id, std::int64_t function) {
  const auto chain = chains_.find(id);
  if (chain == chains_.end()) return kNone;
  const auto [at, is_new] = known_.try_emplace(id, Known{function, kNone});
  if (is_new || at->second.function != function)
    at->second = {function, caller_number(chain->second, strings_.text(function))};
  return at->second.caller;
}

void Callers::append(Caller& caller, std::string_view function, std::string_view place) {
  const char* between = caller.functions.empty() ? "" : " < ";
  caller.functions.append(between).append(function);
  caller.places.append(between).append(place);
}

void Callers::append(Caller& caller, const At& at) {
  const Function& function = function_of(at);
  append(caller, function.name,
         function.kind == CodeKind::kMark ? "[Unknown]"
                                          : location(function, code_.frame(at.frame).line));
}

bool Callers::is_in_header(const At& at) const {
  const std::string place = location(function_of(at), code_.frame(at.frame).line);
  return place.starts_with("/usr/include/") || place.find("/include/c++/") != std::string::npos;
}

std::int64_t Callers::caller_number(const Frames& frames, std::string_view function) {
  std::size_t first = 0;
  // The last frame stays even if all frames belong to the called function.
  while (first + 1 < frames.size() && (is_profiler_library(function_of(frames[first]).module) ||
                                       is_symbol_of(function_of(frames[first]).name, function)))
    ++first;
  if (without_headers_) {
    const auto own = std::find_if(frames.begin() + static_cast<std::ptrdiff_t>(first), frames.end(),
                                  [this](const At& frame) { return !is_in_header(frame); });
    if (own != frames.end()) first = static_cast<std::size_t>(own - frames.begin());
  }
  const auto is_python = [this](const At& frame) {
    return function_of(frame).kind == CodeKind::kPython;
  };
  Caller caller;
  std::size_t end = first;
  for (std::int64_t count = 0; end < frames.size() && (depth_ < 0 || count < depth_); ++end) {
    if (without_headers_ && end > first) {
      if (frames[end].depth > frames[end - 1].depth + 1) break;  // frames between were not read
      if (is_in_header(frames[end])) continue;
    }
    append(caller, frames[end]);
    ++count;
  }
  const auto shown = frames.begin() + static_cast<std::ptrdiff_t>(end);
  const auto python = std::find_if(shown, frames.end(), is_python);
  if (python != frames.end() && end > first &&
      std::none_of(frames.begin() + static_cast<std::ptrdiff_t>(first), shown, is_python)) {
    if (python != shown || python->depth != frames[end - 1].depth + 1) append(caller, "...", "...");
    append(caller, *python);
  }
  const auto [at, is_new] = numbers_.try_emplace(caller.functions + '\0' + caller.places,
                                                 static_cast<std::int64_t>(texts_.size()));
  if (is_new) texts_.push_back(std::move(caller));
  return at->second;
}

}  // namespace prof::events
