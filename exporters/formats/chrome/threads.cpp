// Writes what threads did.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/base/text/json.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/numbered_names.hpp"
#include "exporters/formats/chrome/parts.hpp"
#include "exporters/formats/trace/nvtx_times.hpp"
#include "exporters/formats/trace/slice_names.hpp"
#include "exporters/formats/trace/slices.hpp"
#include "exporters/formats/trace/thread_tables.hpp"

namespace prof::formats {

namespace {

constexpr std::int64_t kNoCorrelation = INT64_MIN;
// An NVTX range has a note in the place of the correlation id: twice the number of its payload's
// text plus one, and whether the range never ended.
constexpr std::int64_t kFirstNote = INT64_MIN + 1;
constexpr std::int64_t kLastNote = INT64_MIN / 2;

// Categories. Their index is in Slice::details.
constexpr std::string_view kSliceCategories[] = {"cpu_op", "user_annotation", "cuda_runtime",
                                                 "cuda_driver"};
enum SliceCategory : std::uint32_t { kOperation, kAnnotation, kRuntime, kDriver, kFirstOther };

bool is_range(const Slice& slice) { return slice.details <= kAnnotation; }

// True for the system's tables. They are in rows below the program's.
bool is_of_system(const ThreadTable& table) {
  return table.category == "osrt" || table.category == "syscall" || table.category == "profiler";
}

// True for PyTorch's operators: ranges in prof's domain for them, or with names as
// torch.autograd.profiler.emit_nvtx makes them.
bool is_operator(const std::string& domain, std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"aten::", "prim::", "c10d::", "torch::", "autograd::"};
  return domain == "PyTorch" ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Returns the name without the version, "cudaLaunchKernelExC" for "cudaLaunchKernelExC_v11060".
std::string_view api_name(std::string_view name) {
  const std::size_t version = name.rfind("_v");
  if (version == std::string_view::npos || name.size() - version < 6) return name;
  const std::string_view digits = name.substr(version + 2);
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })
             ? name.substr(0, version)
             : name;
}

// Collects the slices of several tables, and writes them in the order of time.
class ThreadSlices {
 public:
  ThreadSlices(ChromeDocument& document, ChromeRows::Group group)
      : document_(document), group_(group), names_(document.reader) {}

  base::Status read(const ThreadTable& table) {
    const std::uint32_t other = category_number(table.category);
    const bool is_api = table.launches_gpu_work;
    using report::ScanColumn;
    report::ScanColumns columns{"globalTid", table.name_column,
                                is_api ? "correlationId" : ScanColumn::null(),
                                is_api ? "eventClass" : ScanColumn::null()};
    return read({{table.table, columns, table.condition}},
                [&](const events::Times& times, const report::Row& row) {
                  constexpr std::int64_t kDriverClass = 1;
                  const std::uint32_t api = row.integer(3) == kDriverClass ? kDriver : kRuntime;
                  return Slice{times.start,
                               times.end,
                               row_of(row.integer(0)),
                               names_.of_id(row.integer(1)),
                               row.integer_or(2, kNoCorrelation),
                               is_api ? api : other};
                });
  }

  base::Status read_ranges() {
    if (!document_.reader.has_table(events::kNvtxTable)) return {};
    const auto nvtx = nvtx_times(document_.reader);
    if (!nvtx) return tl::make_unexpected(nvtx.error());
    const report::ScanColumns columns = nvtx_columns(document_.reader);
    const auto make = [&](const events::Times& times, const report::Row& row) {
      const std::int64_t thread = row.integer(0);
      const std::uint32_t name = nvtx_name(row);
      const bool is_op =
          is_operator(document_.names.nvtx_domain(thread, row.integer(1)), names_.text(name));
      return Slice{times.start, times.end,    row_of(thread),
                   name,        note_of(row), is_op ? kOperation : kAnnotation};
    };
    base::Status read = this->read(
        {{events::kNvtxTable, columns,
          report::RowCondition{"eventType", {events::kPushPopRange, events::kStartEndRange}}},
         report::ScanColumn::or_else("end", nvtx->latest)},
        make);
    if (!read) return read;
    return report::scan(document_.reader,
                        {events::kNvtxTable, columns + report::ScanColumns{"start"},
                         report::RowCondition{"eventType", {kNvtxMark}}},
                        [&](const report::Row& row) {
                          document_.events.instant(base::quoted_json(names_.text(nvtx_name(row))),
                                                   "user_annotation",
                                                   document_.rows.first_row(row_of(row.integer(0))),
                                                   row.integer(6), notes_of(note_of(row)));
                        });
  }

  base::Status write() {
    return sorter_.visit_all([&](const Slice& slice) { write(slice); });
  }

 private:
  // A range that is open at the current time of writing.
  struct Open {
    std::int64_t end;
    std::uint32_t id;
  };

  template <class Make>
  base::Status read(const SliceQuery& query, Make make) {
    return read_slices(document_.reader, query, make,
                       [&](const Slice& slice) { sorter_.add(slice); });
  }

  std::uint32_t category_number(std::string_view category) {
    others_.push_back(category);
    return kFirstOther + static_cast<std::uint32_t>(others_.size() - 1);
  }
  std::string_view category_of(const Slice& slice) const {
    return slice.details < kFirstOther ? kSliceCategories[slice.details]
                                       : others_[slice.details - kFirstOther];
  }

  std::uint32_t row_of(std::int64_t global_tid) {
    if (global_tid != last_thread_ || threads_.empty()) {
      last_row_ = document_.rows.of_thread(global_tid, group_);
      last_thread_ = global_tid;
      if (last_row_ >= threads_.size()) threads_.resize(last_row_ + 1);
      threads_[last_row_] = global_tid;
    }
    return last_row_;
  }

  std::uint32_t nvtx_name(const report::Row& row) {
    if (!row.is_null(2)) return names_.of_text(row.text(2));
    return row.is_null(3) ? names_.of_text("") : names_.of_id(row.integer(3));
  }

  std::int64_t note_of(const report::Row& row) {
    const std::int64_t payload = row.is_null(4) ? 0 : names_.of_text(row.text(4)) + 1;
    const std::int64_t note = 2 * payload + (row.integer(5) != 0 ? 1 : 0);
    return note == 0 ? kNoCorrelation : kFirstNote + note;
  }
  // Returns a note as members of a JSON object.
  std::string notes_of(std::int64_t detail) {
    if (detail < kFirstNote || detail > kLastNote) return {};
    const std::int64_t note = detail - kFirstNote;
    std::string notes = (note & 1) != 0 ? "\"open\":true" : "";
    if (note < 2) return notes;
    const std::string& payload = names_.text(static_cast<std::uint32_t>(note / 2 - 1));
    if (!notes.empty()) notes += ',';
    notes += "\"payload\":";
    notes += nlohmann::json::accept(payload) ? payload : base::quoted_json(payload);
    return notes;
  }

  // Returns the innermost range that contains a slice of a row, or 0 if there is none.
  std::uint32_t range_around(const Slice& slice) {
    if (slice.row >= open_.size()) open_.resize(slice.row + 1);
    std::vector<Open>& open = open_[slice.row];
    std::erase_if(open, [&](const Open& range) { return range.end <= slice.start; });
    const auto found = std::find_if(open.rbegin(), open.rend(),
                                    [&](const Open& range) { return range.end >= slice.end; });
    const std::uint32_t around = found == open.rend() ? 0 : found->id;
    if (is_range(slice)) open.push_back({slice.end, ++ranges_});
    return around;
  }

  void write(const Slice& slice) {
    const ChromeRow row = document_.rows.place(slice.row, slice.start, slice.end);
    std::uint32_t range = range_around(slice);
    if (is_range(slice)) range = ranges_;  // the range itself
    const bool has_correlation = slice.detail > kLastNote;
    arguments_.clear();
    if (range != 0) arguments_ += fmt::format("\"External id\":{}", range);
    if (has_correlation)
      arguments_ +=
          fmt::format("{}\"correlation\":{}", arguments_.empty() ? "" : ",", slice.detail);
    if (const std::string notes = notes_of(slice.detail); !notes.empty())
      ((arguments_ += arguments_.empty() ? "" : ",") += notes);
    document_.events.slice(is_step(slice) ? step_name(slice.row) : quoted(slice.name),
                           category_of(slice), row, slice.start, slice.end, arguments_);
    if (has_correlation) write_links(slice, row, range);
  }

  void write_links(const Slice& slice, ChromeRow row, std::uint32_t range) {
    document_.links.launch(events::process_of(threads_[slice.row]), slice.detail, slice.start,
                           [&](std::uint64_t link) {
                             if (link >= document_.ranges.size()) document_.ranges.resize(link + 1);
                             document_.ranges[link] = range;
                             document_.events.link_start(document_.links.correlation_or_other(link),
                                                         row, slice.start);
                           });
  }

  // True if the slice is a step. Steps are counted on each thread, as in PyTorch's profiler.
  bool is_step(const Slice& slice) {
    if (document_.trace.step.empty() || slice.details != kAnnotation) return false;
    if (slice.name >= steps_.size()) steps_.resize(slice.name + 1);
    std::optional<bool>& known = steps_[slice.name];
    if (!known)
      known = events::without_numbers(names_.text(slice.name)) ==
              events::without_numbers(document_.trace.step);
    return *known;
  }
  std::string step_name(std::uint32_t row) {
    ++document_.steps;
    return fmt::format("\"ProfilerStep#{}\"", step_numbers_[row]++);
  }

  const std::string& quoted(std::uint32_t name) {
    if (name >= quoted_.size()) quoted_.resize(name + 1);
    if (quoted_[name].empty()) quoted_[name] = base::quoted_json(api_name(names_.text(name)));
    return quoted_[name];
  }

  ChromeDocument& document_;
  ChromeRows::Group group_;
  SliceNames names_;
  SliceSorter sorter_;
  std::vector<std::string_view> others_;
  std::vector<std::int64_t> threads_;  // by row
  std::int64_t last_thread_ = 0;
  std::uint32_t last_row_ = 0;
  std::vector<std::vector<Open>> open_;  // by row
  std::uint32_t ranges_ = 0;
  std::vector<std::optional<bool>> steps_;              // by name: whether it is a name of steps
  std::map<std::uint32_t, std::int64_t> step_numbers_;  // by row: number of the next step
  std::vector<std::string> quoted_;                     // names in JSON, by number
  std::string arguments_;
};

base::Status write_group(ChromeDocument& document, ChromeRows::Group group) {
  ThreadSlices slices(document, group);
  const bool is_system = group == ChromeRows::Group::kSystem;
  if (!is_system)
    if (base::Status read = slices.read_ranges(); !read) return read;
  for (const ThreadTable& table : thread_tables(document.reader))
    if (is_of_system(table) == is_system)
      if (base::Status read = slices.read(table); !read) return read;
  return slices.write();
}

}  // namespace

base::Status write_chrome_program(ChromeDocument& document) {
  return write_group(document, ChromeRows::Group::kProgram);
}

base::Status write_chrome_system(ChromeDocument& document) {
  return write_group(document, ChromeRows::Group::kSystem);
}

}  // namespace prof::formats
