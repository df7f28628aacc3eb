#include "cli/top/top_output.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/base/raw_time.hpp"
#include "common/base/text/amounts.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::cli {

namespace {

constexpr std::size_t kRowsOfEach = 5;  // the number if all kinds are shown
// Widths of the columns after the name.
constexpr std::size_t kFigures = 54;     // with durations
constexpr std::size_t kFewFigures = 14;  // without
constexpr double kPercentOfAll = 100;

constexpr TopKind kKinds[] = {TopKind::kKernels, TopKind::kApi,    TopKind::kRanges,
                              TopKind::kOs,      TopKind::kPython, TopKind::kThreads};

const char* title_of(TopKind kind) {
  constexpr const char* kTitles[] = {"GPU work",
                                     "CUDA API calls",
                                     "NVTX ranges",
                                     "OS-runtime calls",
                                     "Python functions (samples)",
                                     "Threads (pid tid name)"};
  return kTitles[static_cast<std::size_t>(kind)];
}

bool has_durations(TopKind kind) { return kind != TopKind::kPython && kind != TopKind::kThreads; }

std::string duration(double ns) {
  const base::Scaled time = base::scaled_duration(ns);
  return fmt::format("{:.{}f} {}", time.value, time.is_smallest_unit ? 0 : 2, time.unit);
}

std::string calls_per_second(double value) {
  constexpr double kMillion = 1e6, kThousand = 1e3, kFine = 10;
  if (value >= kMillion) return fmt::format("{:.1f}M", value / kMillion);
  if (value >= kFine * kThousand) return fmt::format("{:.0f}k", value / kThousand);
  return value < kFine ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

// Shortens a name. The file and the line at the end of a Python function's name stay, and their end
// if even they do not fit.
std::string fitted(const std::string& name, std::size_t width) {
  const std::size_t place = name.rfind(" (");
  if (tables::display_width(name) <= width || place == std::string::npos || !name.ends_with(')'))
    return tables::one_line(name, width);
  const std::size_t slash = name.rfind('/');
  const std::string file =
      tables::one_line(slash != std::string::npos && slash > place ? " (" + name.substr(slash + 1)
                                                                   : name.substr(place),
                       std::string::npos);
  const std::size_t taken = tables::display_width(file);
  constexpr std::size_t kMinFunction = 4;
  if (taken + kMinFunction > width) {
    std::string end = file.substr(1);
    if (tables::display_width(end) <= width) return end;
    while (tables::display_width(end) >= width) end.erase(0, end.starts_with('\\') ? 4 : 1);
    return "…" + end;
  }
  return tables::one_line(name.substr(0, place), width - taken) + file;
}

class Drawing {
 public:
  Drawing(const TopSnapshot& snapshot, const TopView& view) : snapshot_(snapshot), view_(view) {}

  std::vector<std::string> draw(const std::vector<std::string>& heading) {
    lines_ = tables::fill_lines(heading, "  ", view_.width, "  ");
    std::string gpus;
    for (const TopGpu& each : snapshot_.gpus)
      gpus += fmt::format("GPU {} {:.0f} %  ", each.device, each.busy * kPercentOfAll);
    add(fmt::format("{}of the last {:.1f} s{}{}", gpus, snapshot_.seconds,
                    snapshot_.is_cut ? ", with gaps: there were too many events" : "",
                    snapshot_.has_ended ? "; the recording has ended" : ""));
    std::vector<Table> chosen = choose_tables();
    choose_rows(chosen);
    const std::size_t width = name_width(chosen);
    for (const Table& each : chosen) add_table(each, table_width(each, width));
    if (chosen.empty()) add("Nothing was recorded in this time.");
    if (view_.lines > 0 && lines_.size() > view_.lines) lines_.resize(view_.lines);
    return std::move(lines_);
  }

 private:
  void add(std::string line) {
    if (tables::display_width(line) > view_.width) tables::shorten(line, view_.width);
    lines_.push_back(std::move(line));
  }

  struct Table {
    TopKind kind;
    std::vector<TopRow> rows;
    std::size_t shown;  // the first ones
  };

  std::vector<Table> choose_tables() const {
    std::vector<Table> chosen;
    for (const TopKind kind : kKinds) {
      if (view_.kind && *view_.kind != kind) continue;
      auto rows = selected(snapshot_.of(kind), view_.order, view_.filter);
      if (!rows.empty() || view_.kind) chosen.push_back({kind, std::move(rows), 0});
    }
    return chosen;
  }

  // Shows as many rows as the terminal has lines for, as equally many of each kind as possible.
  void choose_rows(std::vector<Table>& chosen) const {
    if (view_.kind) {
      for (Table& each : chosen) each.shown = each.rows.size();
      return;
    }
    constexpr std::size_t kLinesOfTable = 2;  // an empty one and the title
    const std::size_t taken = lines_.size() + kLinesOfTable * chosen.size();
    std::size_t left = view_.lines > taken ? view_.lines - taken : 0;
    if (view_.lines == 0) left = kRowsOfEach * chosen.size();
    const std::size_t most = view_.lines == 0 ? kRowsOfEach : left;
    for (bool is_any = true; is_any && left > 0;) {
      is_any = false;
      for (Table& each : chosen) {
        if (left == 0 || each.shown == std::min(each.rows.size(), most)) continue;
        ++each.shown;
        --left;
        is_any = true;
      }
    }
  }

  // The figures stand beside the longest name.
  std::size_t name_width(const std::vector<Table>& chosen) const {
    const std::size_t most = std::max(view_.width, kFigures + 10) - kFigures;
    std::size_t width = 0;
    for (const Table& each : chosen) {
      width = std::max(width, std::string_view(title_of(each.kind)).size() + 2);
      for (std::size_t i = 0; i < each.shown; ++i)
        width = std::max(width, tables::display_width(each.rows[i].name) + 2);
    }
    return std::min(width, most);
  }

  // Names in a table with few figures have the room that these leave.
  std::size_t table_width(const Table& table, std::size_t width) const {
    if (has_durations(table.kind)) return width;
    const std::size_t most = std::max(view_.width, kFewFigures + 10) - kFewFigures;
    for (std::size_t i = 0; i < table.shown; ++i)
      width = std::max(width, std::min(tables::display_width(table.rows[i].name) + 2, most));
    return width;
  }

  void add_table(const Table& table, std::size_t width) {
    std::string title = title_of(table.kind);
    title.resize(width, ' ');
    add("");
    const char* figures = has_durations(table.kind)
                              ? "   time     /s        p50        p99    longest"
                          : table.kind == TopKind::kPython ? "  share     /s"
                                                           : "    CPU";
    std::string line = title + figures;
    add(view_.color ? "\x1b[1m" + line + "\x1b[0m" : line);
    for (std::size_t i = 0; i < table.shown; ++i) add(line_of(table.kind, table.rows[i], width));
  }

  std::string line_of(TopKind kind, const TopRow& row, std::size_t width) const {
    std::string name = fitted(row.name, width - 2);
    name.insert(name.end(), width - std::min(width, tables::display_width(name)), ' ');
    name += fmt::format("{:6.1f}%", row.share * kPercentOfAll);
    if (kind == TopKind::kThreads) return name;
    name +=
        fmt::format("{:>7}", calls_per_second(static_cast<double>(row.count) / snapshot_.seconds));
    if (!has_durations(kind)) return name;
    return name + fmt::format("{:>11}{:>11}{:>11}", duration(row.p50), duration(row.p99),
                              duration(row.longest));
  }

  const TopSnapshot& snapshot_;
  const TopView& view_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> top_lines(const TopSnapshot& snapshot, const TopView& view,
                                   const std::vector<std::string>& heading) {
  return Drawing(snapshot, view).draw(heading);
}

std::string top_json(const TopSnapshot& snapshot, const TopView& view) {
  using nlohmann::json;
  constexpr double kNano = 1e-9;
  json object = {{"time", static_cast<double>(base::clock_ns(CLOCK_REALTIME)) * kNano},
                 {"seconds", snapshot.seconds},
                 {"has_gaps", snapshot.is_cut},
                 {"has_ended", snapshot.has_ended},
                 {"gpus", json::array()}};
  for (const TopGpu& each : snapshot.gpus)
    object["gpus"].push_back({{"device", each.device}, {"busy", each.busy}});
  for (const TopKind kind : kKinds) {
    if (view.kind && *view.kind != kind) continue;
    json rows = json::array();
    for (const TopRow& each : selected(snapshot.of(kind), view.order, view.filter)) {
      json row = {{"name", each.name}, {"share", each.share}};
      if (kind != TopKind::kThreads) {
        row["count"] = each.count;
        row["per_second"] = static_cast<double>(each.count) / snapshot.seconds;
      }
      if (has_durations(kind))
        row.update({{"p50_ns", each.p50}, {"p99_ns", each.p99}, {"longest_ns", each.longest}});
      rows.push_back(std::move(row));
    }
    object[word_of(kind)] = std::move(rows);
  }
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace prof::cli
