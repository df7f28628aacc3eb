#include "cli/output/options/table_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "exporters/analysis/events/report_views.hpp"

namespace prof::cli {

namespace {

constexpr const char* kUsual = ".";

template <class T>
const T& at_or_last(const std::vector<T>& list, std::size_t index) {
  return list[std::min(index, list.size() - 1)];
}

std::optional<tables::TimeUnit> time_unit(const std::string& name) {
  if (name == "auto") return std::nullopt;
  const auto unit = tables::time_unit(name);
  if (!unit)
    throw Failure("unknown time unit " + name + " (known: nsec, usec, msec, sec, auto)", kBadUsage);
  return unit;
}

events::EventFilter time_filter(const std::string& words) {
  if (words.empty()) return {};
  const auto filter = events::parse_time_filter(words);
  if (!filter) throw Failure(filter.error().message, kBadUsage);
  return *filter;
}

}  // namespace

void add_filter_options(CLI::App& app, TableOptions& options) {
  app.add_option("--filter-time", options.filter_time,
                 "Use only events that overlap this time (in ns, or with a unit: ns, us, ms, s)")
      ->type_name("[START]/[END]");
  app.add_option(
         "--filter-nvtx", options.filter_nvtx,
         "Use only events that overlap this NVTX range in its process: its first occurrence, or "
         "the one with this INDEX (from 0)")
      ->type_name("RANGE[@DOMAIN][/INDEX]");
}

void add_output_options(CLI::App& app, TableOptions& options) {
  app.add_option("-f,--format", options.formats,
                 "Format of the tables: " + tables::table_format_names() +
                     ", or . (column for stdout, otherwise csv). A list has a format for each "
                     "table. The last is for all further tables")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FORMAT,…")
      ->capture_default_str();
  app.add_option("--timeunit", options.time_unit,
                 "Unit of times: nsec, usec, msec, sec, or auto: nsec, but for statistics on a "
                 "terminal, where each time has the unit that suits it")
      ->type_name("UNIT")
      ->capture_default_str();
  app.add_option(
         "-o,--output", options.outputs,
         "Where to write: - (stdout), @COMMAND (its stdin), . (files named after the report), "
         "or the base of the file names. A list as for -f")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("BASE,…")
      ->capture_default_str();
  add_bool(app, "--force-overwrite", options.overwrite, "Replace existing files");
  app.add_flag("-q,--quiet", options.quiet, "Print only errors and tables");
}

void FormatHelp::add(CLI::App& app) {
  option_ = app.add_option("--help-formats", name_, "List the formats of tables, or explain one")
                ->expected(0, 1)
                ->type_name("[NAME]");
}

bool FormatHelp::print() const {
  if (option_->count() == 0) return false;
  const auto text = tables::format_help(name_ == "ALL" ? "all" : name_);
  if (!text) table_format(name_);  // throws Failure
  fmt::print("{}", *text);
  return true;
}

std::vector<std::string> words_of_output_option(const std::string& name) {
  if (name == "--format" || name == "--help-formats") return tables::table_format_words();
  if (name == "--timeunit") return {"auto", "nsec", "usec", "msec", "sec"};
  return {};
}

TableSettings::TableSettings(TableOptions options)
    : options_(std::move(options)),
      time_unit_(time_unit(options_.time_unit)),
      window_(time_filter(options_.filter_time)) {
  for (const std::string& name : options_.formats)
    formats_.push_back(name == kUsual ? std::nullopt : std::optional(table_format(name)));
}

events::EventFilter TableSettings::prepare(const report::ReportReader& reader,
                                           const events::EventFilter& more,
                                           const events::ExportSelection& selection,
                                           const events::ClockMap& clock) const {
  events::EventFilter window = window_;
  window.start = clock.own(window.start);
  window.end = clock.own(window.end);
  events::EventFilter events = events::both(window, more);
  if (!options_.filter_nvtx.empty()) {
    check(events::make_views(reader));
    events = events::both(events, take(events::find_nvtx_filter(reader, options_.filter_nvtx)));
  }
  check(events::make_views(reader, events, selection));
  return events;
}

TableOutput TableSettings::output(const std::string& report, std::size_t index) const {
  const std::string& target = at_or_last(options_.outputs, index);
  const auto usual = target == "-" ? tables::TableFormat::kColumn : tables::TableFormat::kCsv;
  return {report,         at_or_last(formats_, index).value_or(usual),
          target,         options_.overwrite,
          options_.quiet, time_unit_.value_or(tables::TimeUnit::kNanoseconds),
          suffix()};
}

// Returns the text that the filters append to the name of a file.
std::string TableSettings::suffix() const {
  std::string words;
  if (!options_.filter_time.empty()) words += "_time=" + options_.filter_time;
  if (!options_.filter_nvtx.empty()) words += "_nvtx=" + options_.filter_nvtx;
  return words;
}

}  // namespace prof::cli
