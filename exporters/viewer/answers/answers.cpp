#include "exporters/viewer/answers/answers.hpp"

#include <algorithm>
#include <iterator>

#include "exporters/viewer/answers/answer_cache.hpp"
#include "exporters/viewer/answers/handlers.hpp"

namespace prof::view {

namespace {

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

base::Result<ServedReport> ServedReport::open(const std::string& path) {
  struct stat file {};
  const bool exists = stat(path.c_str(), &file) == 0;
  const auto reader = report::ReportReader::open(path);
  if (!reader) return tl::make_unexpected(reader.error());
  if (!exists) return base::fail(path + " appeared only now; start again");
  return ServedReport(path, file);
}

Outcome<report::ReportReader> ServedReport::read() const {
  struct stat now {};
  if (stat(path_.c_str(), &now) != 0)
    return fault(409, path_ + " does not exist any more. What is already shown stays right.");
  if (!is_same(file_, now))
    return fault(409, path_ + " has changed. Start prof view again to see the new report.");
  auto reader = report::ReportReader::open(path_);
  if (!reader) return unreadable(reader.error());
  return std::move(*reader);
}

Outcome<void> ServedReport::readable(const report::ReportReader& reader) const {
  if (const base::Status status = reader.finish(); !status) return unreadable(status.error());
  return {};
}

namespace {

constexpr Handler kHandlers[] = {
    {"diff", Queue::kStatistics, answer_diff},
    {"event", Queue::kEvents, answer_event},
    {"events", Queue::kEvents, answer_events},
    {"find", Queue::kEvents, answer_find},
    {"flame", Queue::kStatistics, answer_flame},
    {"names", Queue::kEvents, answer_names},
    {"path", Queue::kStatistics, answer_path},
    {"query", Queue::kStatistics, answer_query},
    {"rows", Queue::kEvents, answer_rows},
    {"sections", Queue::kEvents, answer_sections},
    {"source", Queue::kStatistics, answer_source},
    {"statistic", Queue::kStatistics, answer_statistic},
    {"statistics", Queue::kStatistics, answer_statistics},
    {"summary", Queue::kEvents, answer_summary},
    {"tile", Queue::kTiles, answer_tile},
    {"used", Queue::kTiles, answer_used},
};

}  // namespace

Answers::Answers(Sources sources) : sources_(std::move(sources)) {
  sources_.kept = std::make_shared<AnswerCache>(sources_.reports.size());
}

const Handler* Answers::find(std::string_view name) {
  const auto* found = std::find_if(std::begin(kHandlers), std::end(kHandlers),
                                   [&](const Handler& each) { return each.name == name; });
  return found == std::end(kHandlers) ? nullptr : found;
}

Outcome<Answer> Answers::get(const Handler& handler, const Parameters& parameters) const {
  return without_exceptions([&] { return handler.handle(sources_, parameters); });
}

}  // namespace prof::view
