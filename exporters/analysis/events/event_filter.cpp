#include "exporters/analysis/events/event_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "common/base/text/amounts.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"

namespace prof::events {

namespace {

std::optional<std::int64_t> nanoseconds(std::string_view text) {
  constexpr double kLimit = 9e18;
  const auto duration = base::take_duration(text);
  if (!duration || !text.empty() || std::abs(*duration) >= kLimit) return std::nullopt;
  return std::llround(*duration);
}

struct RangeName {
  std::string name;  // "domain:text" as in RangeNames; ":text" for any domain
  bool any_domain = false;
  std::optional<std::size_t> index = {};
};

RangeName parse_range(std::string_view text) {
  RangeName result;
  const std::size_t slash = text.rfind('/');
  if (slash != std::string_view::npos && slash + 1 < text.size()) {
    const char* end = text.data() + text.size();
    std::size_t index = 0;
    const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, index);
    // A slash may also be part of the range's text, so only a number after the slash is an index.
    if (error == std::errc() && stop == end) {
      text = text.substr(0, slash);
      result.index = index;
    }
  }
  const std::size_t at = text.rfind('@');
  const std::string_view domain =
      at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  result.any_domain = domain == "*";
  result.name = ':' + std::string(text.substr(0, at));
  if (!result.any_domain) result.name.insert(0, domain);
  return result;
}

bool matches(std::string_view name, const RangeName& wanted) {
  if (!wanted.any_domain) return name == wanted.name;
  return name.substr(std::min(name.find(':'), name.size())) == wanted.name;
}

using Ids = std::optional<std::vector<std::int64_t>>;

// Returns the ids that are in both lists. A missing list stands for all ids.
Ids common(const Ids& a, const Ids& b) {
  if (!a || !b) return a ? a : b;
  std::vector<std::int64_t> result;
  std::set_intersection(a->begin(), a->end(), b->begin(), b->end(), std::back_inserter(result));
  return result;
}

bool has(const Ids& ids, std::int64_t id) {
  return !ids || std::binary_search(ids->begin(), ids->end(), id);
}

}  // namespace

bool selects(const EventFilter& filter, std::int64_t global_tid) {
  return has(filter.processes, process_of(global_tid)) && has(filter.threads, global_tid);
}

base::Result<EventFilter> parse_time_filter(std::string_view text) {
  const auto bad = base::fail(fmt::format(
      "bad time filter {}: write [START]/[END], each a number with ns, us, ms or s", text));
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.size() == 1) return bad;
  EventFilter filter;
  const auto take = [](std::string_view part, std::int64_t& target) {
    if (part.empty()) return true;
    const auto value = nanoseconds(part);
    if (value) target = *value;
    return value.has_value();
  };
  if (!take(text.substr(0, slash), filter.start) || !take(text.substr(slash + 1), filter.end))
    return bad;
  if (filter.start > filter.end)
    return base::fail(fmt::format("bad time filter {}: it ends before it starts", text));
  return filter;
}

base::Result<EventFilter> find_nvtx_filter(const report::ReportReader& reader,
                                           std::string_view text) {
  const auto found = find_nvtx_ranges(reader, text);
  if (!found) return tl::make_unexpected(found.error());
  const RangeTime& first = found->front();
  return EventFilter{first.start, first.end, {{process_of(first.global_tid)}}};
}

base::Result<std::vector<RangeTime>> find_nvtx_ranges(const report::ReportReader& reader,
                                                      std::string_view text) {
  if (!reader.has_table(kNvtxTable))
    return base::fail(fmt::format("no NVTX range matches {}: the report has no NVTX ranges", text));
  const RangeName wanted = parse_range(text);
  RangeNames names(reader);
  std::vector<RangeTime> found;
  const base::Status read = for_each_range(reader, names, [&](const NvtxRange& range) {
    if (matches(names.text(range.name), wanted))
      found.push_back({range.start, range.end, range.global_tid});
  });
  if (!read) return tl::make_unexpected(read.error());
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  if (found.empty())
    return base::fail(fmt::format("no NVTX range matches {} (write RANGE[@DOMAIN][/INDEX])", text));
  if (!wanted.index) return found;
  if (*wanted.index < found.size()) return std::vector{found[*wanted.index]};
  return base::fail(
      fmt::format("NVTX filter {}: there are only {} such ranges", text, found.size()));
}

EventFilter both(const EventFilter& a, const EventFilter& b) {
  return {std::max(a.start, b.start), std::min(a.end, b.end), common(a.processes, b.processes),
          common(a.threads, b.threads)};
}

}  // namespace prof::events
