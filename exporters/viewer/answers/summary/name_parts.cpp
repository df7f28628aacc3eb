// Makes the parts of the start page that are lists of names: kernels, ranges, functions. Their
// figures come from statistics.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/viewer/answers/summary/parts.hpp"

namespace prof::view {

namespace {

// A statistic whose columns are found by heading.
class Figures {
 public:
  static base::Result<Figures> read(const report::ReportReader& reader, const char* name,
                                    const stats::Arguments& arguments = {}) {
    auto table = stats::run(*stats::find_statistic(name), reader, arguments);
    if (!table) return tl::make_unexpected(table.error());
    return Figures(std::move(*table));
  }

  std::size_t rows() const { return table_.rows.size(); }
  std::int64_t whole(std::size_t row, std::string_view header) const {
    const tables::Cell* found = cell(row, header);
    const auto* value = found == nullptr ? nullptr : std::get_if<std::int64_t>(found);
    return value == nullptr ? 0 : *value;
  }
  double real(std::size_t row, std::string_view header) const {
    const tables::Cell* found = cell(row, header);
    const auto* value = found == nullptr ? nullptr : std::get_if<double>(found);
    return value == nullptr ? 0 : *value;
  }
  std::string_view text(std::size_t row, std::string_view header) const {
    const tables::Cell* found = cell(row, header);
    const auto* value = found == nullptr ? nullptr : std::get_if<tables::Text>(found);
    return value == nullptr ? std::string_view() : value->view();
  }

 private:
  explicit Figures(tables::Table table) : table_(std::move(table)) {}

  const tables::Cell* cell(std::size_t row, std::string_view header) const {
    for (std::size_t i = 0; i < table_.columns.size(); ++i)
      if (table_.columns[i].header == header) return &table_.rows[row][i];
    return nullptr;
  }

  tables::Table table_;
};

double average(std::int64_t total, std::int64_t count) {
  return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count);
}

void add_where(Json& json, const std::optional<timeline::Event>& event) {
  json.key("where");
  if (event)
    Places::add(json, Places::of(*event));
  else
    json.null();
}

// Returns the rowid of each kernel's longest run, by name.
base::Result<std::map<std::string, std::int64_t, std::less<>>> longest_kernels(
    const report::ReportReader& reader) {
  struct Longest {
    std::int64_t duration = -1;
    std::int64_t rowid = 0;
  };
  std::unordered_map<std::int64_t, Longest> by_id;
  const base::Status read =
      events::for_each_event(reader, {events::kKernelTable, {"demangledName", "rowid"}},
                             [&](const events::Times& times, const report::Row& row) {
                               Longest& longest = by_id[row.integer_or(0, events::Strings::kNone)];
                               if (times.duration() > longest.duration)
                                 longest = {times.duration(), row.integer(1)};
                             });
  if (!read) return tl::make_unexpected(read.error());
  events::Strings strings(reader);
  std::map<std::string, std::int64_t, std::less<>> result;
  for (const auto& [id, longest] : by_id) result.emplace(strings.text(id), longest.rowid);
  return result;
}

constexpr const char* kTotal = "Total Time (ns)";
constexpr const char* kCount = "Instances";

// Describes how much of the kernels' time is in kernels that use the tensor cores, or could use
// them.
std::string tensor_core_part(const Figures& figures) {
  std::int64_t using_names = 0;
  double used = 0;
  double eligible = 0;
  for (std::size_t i = 0; i < figures.rows(); ++i) {
    const std::string_view use = figures.text(i, "Tensor Cores");
    using_names += use == "yes" ? 1 : 0;
    (use == "yes" ? used : eligible) += use == "no" ? 0 : figures.real(i, "Time (%)");
  }
  Json json;
  json.begin_object()
      .pair("kernels", using_names)
      .pair("share_of_gpu_time", used / 100)
      .pair("eligible_share", eligible / 100)
      .pair("note", "Derived from the names of kernels. Shares are of the time of all kernels.")
      .end_object();
  return json.take();
}

}  // namespace

base::Result<KernelParts> kernel_parts(const report::ReportReader& reader, const Places& places) {
  const auto figures = Figures::read(reader, "tensor_core_sum");
  if (!figures) return tl::make_unexpected(figures.error());
  if (figures->rows() == 0) return KernelParts{"[]", "null"};
  const auto longest = longest_kernels(reader);
  if (!longest) return tl::make_unexpected(longest.error());
  Json json;
  json.begin_list();
  for (std::size_t i = 0; i < std::min(kMaxNames, figures->rows()); ++i) {
    const std::int64_t total = figures->whole(i, kTotal);
    const std::int64_t count = figures->whole(i, kCount);
    const std::string_view use = figures->text(i, "Tensor Cores");
    json.begin_object()
        .pair("name", figures->text(i, "Name"))
        .pair("total", total)
        .pair("count", count)
        .pair("average", average(total, count))
        .pair("share", figures->real(i, "Time (%)") / 100)
        .pair("tensor_cores", use == "yes")
        .pair("eligible", use == "eligible")
        .pair("family", figures->text(i, "Family"));
    const auto rowid = longest->find(figures->text(i, "Name"));
    add_where(json, rowid == longest->end() ? std::nullopt
                                            : places.event_of(events::kKernelTable, rowid->second));
    json.end_object();
  }
  json.end_list();
  return KernelParts{json.take(), tensor_core_part(*figures)};
}

base::Result<std::string> ranges_part(const report::ReportReader& reader, const Places& places) {
  stats::Arguments arguments;
  arguments.merge_numbers = true;
  const auto figures = Figures::read(reader, "nvtx_sum", arguments);
  if (!figures) return tl::make_unexpected(figures.error());
  const auto longest = places.longest_by_name(timeline::RowKind::kNvtx);
  Json json;
  json.begin_list();
  for (std::size_t i = 0; i < std::min(kMaxNames, figures->rows()); ++i) {
    const std::int64_t total = figures->whole(i, kTotal);
    const std::int64_t count = figures->whole(i, kCount);
    const std::string_view name = figures->text(i, "Range");
    json.begin_object()
        .pair("name", name)
        .pair("total", total)
        .pair("count", count)
        .pair("average", average(total, count));
    // Names in the timeline lack the domain.
    const std::size_t colon = name.find(':');
    const auto event =
        longest.find(colon == std::string_view::npos ? name : name.substr(colon + 1));
    add_where(json, event == longest.end() ? std::nullopt : std::optional(event->second));
    json.end_object();
  }
  json.end_list();
  return json.take();
}

base::Result<std::string> cpu_part(const report::ReportReader& reader) {
  Json json;
  json.begin_object().key("functions").begin_list();
  for (const char* statistic : {"python_sample_sum", "cpu_sample_sum"}) {
    const auto figures = Figures::read(reader, statistic);
    if (!figures) return tl::make_unexpected(figures.error());
    for (std::size_t i = 0; i < std::min(kMaxNames, figures->rows()); ++i)
      json.begin_object()
          .pair("name", figures->text(i, "Function"))
          .pair("place", figures->text(i, "Location"))
          .pair("share", figures->real(i, "Self (%)") / 100)
          .pair("samples", figures->whole(i, "Self Samples"))
          .pair("statistic", statistic)
          .end_object();
  }
  json.end_list().end_object();
  return json.take();
}

}  // namespace prof::view
