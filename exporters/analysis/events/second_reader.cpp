#include "exporters/analysis/events/second_reader.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "exporters/analysis/events/report_views.hpp"

namespace prof::events {

namespace {

// To open a report takes as long as to read some ten thousand events.
constexpr std::uintmax_t kLeastBytes = 4'000'000;

bool is_large(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return !error && size >= kLeastBytes;
}

}  // namespace

SecondReader::SecondReader(const report::ReportReader& reader) : reader_(reader) {
  if (!reader.is_one_file() || !is_large(reader.path()) || std::thread::hardware_concurrency() < 2)
    return;
  auto second = report::ReportReader::open(reader.path());
  if (second && make_views(*second, reader.filter())) second_ = *std::move(second);
}

void SecondReader::finish() const {
  if (!second_) return;
  for (const auto& [table, events] : second_->faulty()) reader_.note_faulty(table, events);
  for (const auto& [table, frames] : second_->too_deep()) reader_.note_too_deep(table, frames);
  for (const std::string& each : second_->remarks()) reader_.remark(each);
  if (const base::Status finished = second_->finish(); !finished) reader_.note(finished.error());
}

}  // namespace prof::events
