#include "cli/output/options/view_options.hpp"

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/output/options/range_of_option.hpp"
#include "exporters/analysis/events/thread_selection.hpp"
#include "exporters/analysis/tables/pattern.hpp"

namespace prof::cli {

namespace {

void add_patterns(CLI::App& app, const char* name, std::vector<std::string>& patterns,
                  const char* type, const char* help) {
  app.add_option(name, patterns, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name(std::string(type) + ",…");
}

}  // namespace

void add_view_options(CLI::App& app, ViewOptions& options) {
  app.add_option("--rows", options.rows,
                 "Maximum number of rows of each statistic (0: all). Default on a terminal: 30, or "
                 "10 without -r; otherwise all")
      ->type_name("N");
  app.add_option("--sort", options.sort,
                 "Sort by this column: its heading, or how it starts. Numbers descend, texts "
                 "ascend")
      ->type_name("COLUMN[:asc|:desc]");
  add_patterns(app, "--process", options.processes, "PID|PATTERN",
               "Use only events of these processes, by number or program");
  add_patterns(app, "--thread", options.threads, "TID|PATTERN",
               "Use only events of these threads, by number or name. GPU work counts for the "
               "thread that launched it");
  app.add_option("--name", options.names,
                 "Print only rows with a text that matches: a word, or a pattern with * ? [a-z]. "
                 "Can be repeated")
      ->allow_extra_args(false)
      ->type_name("PATTERN");
  add_range_of_option(app, options.range_of);
  add_choice(app, "--color", options.color,
             {{"auto", Color::kAuto}, {"always", Color::kAlways}, {"never", Color::kNever}},
             "Colors, and tables made for a terminal: auto (if stdout is one), always or never. "
             "NO_COLOR=1 means no colors")
      ->type_name("WHEN");
  app.add_flag("--no-pager", options.no_pager, "Do not show the output in a pager");
}

void check_view_options(const ViewOptions& options) {
  if (options.rows && *options.rows < 0)
    throw Failure("--rows needs a whole number of 0 or more", kBadUsage);
}

events::EventFilter thread_filter(const ViewOptions& options, const report::ReportReader& reader) {
  events::EventFilter filter;
  if (!options.processes.empty())
    filter = take(events::find_process_filter(reader, options.processes, tables::matches_pattern));
  if (!options.threads.empty())
    filter = events::both(
        filter, take(events::find_thread_filter(reader, options.threads, tables::matches_pattern)));
  return filter;
}

}  // namespace prof::cli
