#include "exporters/viewer/run/open_reports.hpp"

#include <algorithm>
#include <utility>

#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

std::shared_ptr<const Answers> OpenReports::find(std::size_t report) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(open_, report, &Open::report);
  if (found == open_.end()) return nullptr;
  open_.splice(open_.begin(), open_, found);
  return open_.front().answers;
}

Outcome<std::shared_ptr<const Answers>> OpenReports::get(std::size_t report,
                                                         const std::string& path,
                                                         std::optional<std::int64_t> opening) {
  const auto closed = [] {
    return fault(409, "This timeline was closed, because others were opened. Reload the page.");
  };
  auto open = find(report);
  if (!open && !opening) {
    const std::lock_guard lock(opening_);
    open = find(report);  // another request may have opened it meanwhile
    if (open) return open;
    auto served = ServedReport::open(path);
    if (!served) return unreadable(served.error());
    Sources sources;
    sources.reports.push_back(*std::move(served));
    sources.range_of = range_of_;
    sources.source_folders = source_folders_;
    timeline::Options options;
    options.range_of = range_of_;
    options.paths = timeline::Options::Paths::kAwaited;
    auto timeline = timeline::Timeline::open({{path}}, options);
    if (!timeline) return unreadable(timeline.error());
    sources.timeline = *std::move(timeline);
    std::list<Open> left;  // is destroyed after the lock
    {
      const std::lock_guard held(mutex_);
      sources.opening = ++openings_;
      open_.push_front({report, std::make_shared<const Answers>(std::move(sources))});
      open = open_.front().answers;
      while (open_.size() > most_) left.splice(left.end(), open_, std::prev(open_.end()));
    }
    open->sources().timeline->load();
    return open;
  }
  if (!open || (opening && *opening != open->sources().opening)) return closed();
  return open;
}

}  // namespace prof::view
