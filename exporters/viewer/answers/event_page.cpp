#include "exporters/viewer/answers/event_page.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace prof::view {

namespace {

using timeline::Event;

// Returns the position of each name in alphabetical order.
std::vector<std::int64_t> name_ranks(const timeline::Names& names) {
  std::vector<std::uint32_t> sorted(names.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::sort(sorted.begin(), sorted.end(),
            [&](std::uint32_t a, std::uint32_t b) { return names.text(a) < names.text(b); });
  std::vector<std::int64_t> ranks(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool is_equal = i > 0 && names.text(sorted[i]) == names.text(sorted[i - 1]);
    ranks[sorted[i]] = is_equal ? ranks[sorted[i - 1]] : static_cast<std::int64_t>(i);
  }
  return ranks;
}

// The key by which events are sorted, ascending.
class SortKey {
 public:
  SortKey(const timeline::Names& names, EventOrder order, bool descends)
      : order_(order), descends_(descends) {
    if (order == EventOrder::kName) ranks_ = name_ranks(names);
  }

  std::int64_t operator()(const Event& event) const {
    const std::int64_t key = ascending(event);
    return descends_ ? ~key : key;
  }

 private:
  std::int64_t ascending(const Event& event) const {
    if (order_ == EventOrder::kStart) return event.start;
    if (order_ == EventOrder::kDuration) return event.duration();
    return event.name < ranks_.size() ? ranks_[event.name] : -1;
  }

  EventOrder order_;
  bool descends_;
  std::vector<std::int64_t> ranks_;
};

// The keys of the events on a page.
struct KeyRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::ptrdiff_t skipped = 0;  // number of events with the first key that are on earlier pages
  std::ptrdiff_t wanted = 0;   // number of events with the last key up to the end of the page
};

// Returns the keys of the page with the sorted events [first, end). `first` < `end`.
KeyRange key_range(std::vector<std::int64_t>& keys, std::size_t first, std::size_t end) {
  const auto at = [&](std::size_t index) {
    return keys.begin() + static_cast<std::ptrdiff_t>(index);
  };
  const auto number_below = [&](std::int64_t limit) {
    return std::count_if(keys.begin(), keys.end(), [&](std::int64_t key) { return key < limit; });
  };
  KeyRange range;
  std::nth_element(keys.begin(), at(first), keys.end());
  range.least = keys[first];
  std::nth_element(at(first), at(end - 1), keys.end());
  range.most = keys[end - 1];
  range.skipped = static_cast<std::ptrdiff_t>(first) - number_below(range.least);
  range.wanted = static_cast<std::ptrdiff_t>(end) - number_below(range.most);
  return range;
}

}  // namespace

// Finds the keys of the first and the last event of the page first, and then only the events
// between them, because sorting all events would need memory for all of them.
EventPage event_page(const timeline::Snapshot& snapshot, const PageRequest& request) {
  const SortKey key_of(snapshot.names(), request.order, request.descends);
  std::vector<std::int64_t> keys;
  snapshot.visit_all(request.row, request.span, [&](const Event& event) {
    keys.push_back(key_of(event));
    return true;
  });
  EventPage page{keys.size(), {}};
  const std::size_t first = std::min(request.offset, keys.size());
  const std::size_t end = first + std::min(request.limit, keys.size() - first);
  if (first == end) return page;
  KeyRange range = key_range(keys, first, end);
  std::vector<std::pair<std::int64_t, Event>> found;
  snapshot.visit_all(request.row, request.span, [&](const Event& event) {
    const std::int64_t key = key_of(event);
    const bool is_left_out = key < range.least || key > range.most ||
                             (key == range.most && range.wanted-- <= 0) ||
                             (key == range.least && range.skipped-- > 0);
    if (!is_left_out) found.emplace_back(key, event);
    return true;
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [key, event] : found) page.events.push_back(event);
  return page;
}

}  // namespace prof::view
