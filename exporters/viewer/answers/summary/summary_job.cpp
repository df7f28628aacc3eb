#include "exporters/viewer/answers/summary/summary_job.hpp"

#include <stdexcept>

#include "common/base/thread_priority.hpp"
#include "exporters/analysis/analyze/report_diagnosis.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/source/line_search.hpp"
#include "exporters/viewer/answers/summary/parts.hpp"

namespace prof::view {

namespace {

// The parts in the order of the document.
constexpr const char* kParts[] = {"verdict", "findings", "gpus",         "iterations",
                                  "kernels", "ranges",   "tensor_cores", "facts",
                                  "options", "losses",   "cpu"};

struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("prof view ends") {}
};

}  // namespace

SummaryJob::SummaryJob(ServedReport report, std::uint32_t number,
                       std::shared_ptr<timeline::Timeline> timeline, events::RangeOf range_of)
    : report_(std::move(report)),
      number_(number),
      timeline_(std::move(timeline)),
      range_of_(range_of) {
  thread_ = std::thread([this] { run(); });
}

SummaryJob::~SummaryJob() {
  stopped_ = true;
  thread_.join();
}

void SummaryJob::run() {
  base::lower_thread_priority();  // requests of the page come first
  std::string fault = make();
  const std::lock_guard lock(mutex_);
  fault_ = std::move(fault);
  done_ = true;
  changed_.notify_all();
}

std::string SummaryJob::make() {
  try {
    const auto reader = report_.read();
    if (!reader) return reader.error().text;
    // SQLite calls this function every few ms of a query. A result other than zero ends the query.
    constexpr int kSteps = 100'000;
    sqlite3_progress_handler(
        reader->database(), kSteps,
        [](void* job) { return static_cast<SummaryJob*>(job)->stopped_ ? 1 : 0; }, this);
    base::Status made = make_parts(*reader);
    if (made) made = reader->finish();
    return made ? "" : made.error().message;
  } catch (const std::exception& error) {
    return error.what();
  }
}

base::Status SummaryJob::make_parts(const report::ReportReader& reader) {
  if (base::Status made = events::make_views(reader); !made) return made;
  // The findings come first, because users look at them first. They are made while the timeline is
  // loaded.
  WholeWork work;
  const auto diagnosis = analyze::diagnose_report(
      reader, {.range_of = range_of_}, [&] { return find_lines(reader); },
      [&](const insight::GpuWork& all, const std::vector<insight::Iterations>& iterations) {
        work = whole_work(all, iterations);
      });
  timeline_->wait();
  const auto snapshot = timeline_->snapshot();
  const Places places(*snapshot, number_);
  if (diagnosis) {
    put("verdict", verdict_part(*diagnosis));
    put("findings", findings_part(*diagnosis, places));
    put("gpus", gpus_part(work, *snapshot, places));
    put("iterations", iterations_part(work, places));
  }
  if (base::Status added = add_lists(reader, places, !work.devices.empty()); !added) return added;
  if (!diagnosis) return tl::make_unexpected(diagnosis.error());
  find_lines(reader);
  return {};
}

// Adds the parts that list names and facts.
base::Status SummaryJob::add_lists(const report::ReportReader& reader, const Places& places,
                                   bool has_gpu_work) {
  const auto info = info::read_info(reader);
  if (!info) return tl::make_unexpected(info.error());
  put("facts", facts_part(*info));
  put("options", options_part(*info));
  put("losses", losses_part(*info));
  auto kernels = kernel_parts(reader, places);
  if (!kernels) return tl::make_unexpected(kernels.error());
  put("kernels", std::move(kernels->kernels));
  put("tensor_cores", std::move(kernels->tensor_cores));
  auto ranges = ranges_part(reader, places);
  if (!ranges) return tl::make_unexpected(ranges.error());
  put("ranges", *std::move(ranges));
  if (has_gpu_work) return {};
  if (auto functions = cpu_part(reader))
    put("cpu", *std::move(functions));
  else
    reader.note(functions.error());
  return {};
}

// Looks up the source lines if the report has places of native code. Later calls return the same
// result.
std::shared_ptr<const events::CodeLines> SummaryJob::find_lines(
    const report::ReportReader& reader) {
  if (auto known = lines(); known || !reader.has_table(events::kCodePlaceTable)) return known;
  auto found = source::find_lines(reader, [this](double) {
    if (stopped_) throw Stopped();
  });
  if (!found) return nullptr;
  const std::lock_guard lock(mutex_);
  lines_ = std::make_shared<const events::CodeLines>(std::move(found->lines));
  return lines_;
}

std::shared_ptr<const events::CodeLines> SummaryJob::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

void SummaryJob::put(const char* part, std::string json) {
  const std::lock_guard lock(mutex_);
  parts_[part] = std::move(json);
}

void SummaryJob::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_; });
}

std::string SummaryJob::document() const {
  const timeline::Span span = timeline_->snapshot()->reports().at(number_).span;
  const std::lock_guard lock(mutex_);
  Json json;
  json.begin_object()
      .pair("exact", done_ && fault_.empty())
      .pair("fault", fault_)
      .pair("span", span.end - span.start);
  for (const char* name : kParts) {
    const auto part = parts_.find(name);
    json.key(name);
    part == parts_.end() ? json.null() : json.ready(part->second);
  }
  json.end_object();
  return json.take();
}

}  // namespace prof::view
