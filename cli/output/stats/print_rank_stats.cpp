#include "cli/output/stats/print_rank_stats.hpp"

#include <algorithm>
#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/options/job_window.hpp"
#include "cli/output/pager.hpp"
#include "cli/output/report_folder.hpp"
#include "cli/output/stats/print_stats.hpp"
#include "cli/output/stats/statistic_tables.hpp"
#include "exporters/ranks/collectives/rank_tables.hpp"
#include "exporters/ranks/read_parts.hpp"

namespace prof::cli {

std::vector<std::string> take_rank_statistics(std::vector<std::string>& names) {
  std::vector<std::string> taken;
  std::erase_if(names, [&](const std::string& name) {
    const bool is_one = ranks::find_job_statistic(name) != nullptr;
    if (is_one) taken.push_back(name);
    return is_one;
  });
  return taken;
}

bool print_rank_stats(const JobStatsRequest& request) {
  allocate_in_large_steps();
  const std::string name = name_of_job(request.reports);
  const TableSettings settings(request.tables);
  StatisticTables tables(request.view, settings, false, name);
  const JobReports found = find_job_reports(request.reports, settings.quiet());
  const JobWindow window(found.reports, settings, request.align);
  ranks::PartOptions options;
  options.filter_of = [&](const report::ReportReader& reader) {
    return window.prepare(reader, thread_filter(request.view, reader));
  };
  for (const std::string& each : request.names)
    options.details = std::max(options.details, ranks::find_job_statistic(each)->details);
  std::vector<std::string> left_out;
  std::vector<ranks::ReportPart> parts = ranks::read_parts(found.reports, options, left_out);
  if (!is_job(request.reports) && !left_out.empty()) throw Failure(left_out.front());
  for (const std::string& text : left_out) print_message("prof: left out: {}\n", text);
  if (parts.empty()) throw Failure(name + ": no report can be read");
  const ranks::JobCollectives job = ranks::match_job(std::move(parts), window.clock());
  const Pager pager(tables.for_terminal() && !request.view.no_pager);
  for (std::size_t i = 0; i < request.names.size(); ++i) {
    const ranks::JobStatistic& statistic = *ranks::find_job_statistic(request.names[i]);
    tables::Table table = statistic.run(job);
    if (!table.rows.empty())
      tables.print(std::move(table), settings.output(name, i), statistic.title, statistic.name);
    else if (!settings.quiet())
      print_message(
          "SKIPPED: {} does not contain collective operations or messages of several ranks. To "
          "record them: prof profile -t cuda,nvtx or -t mpi on each rank\n",
          name);
  }
  tables.check_sorted(name);
  std::size_t unmatched = 0;
  for (const ranks::MatchedCommunicator& each : job.communicators) unmatched += each.unmatched;
  if (unmatched > 0 && !settings.quiet())
    print_message("prof: {} calls of collective operations have no partner on another rank\n",
                  unmatched);
  if (job.unknown_messages > 0 && !settings.quiet())
    print_message("prof: {} messages with wildcards whose sender the program did not ask for\n",
                  job.unknown_messages);
  return !found.has_left_out && left_out.empty();
}

}  // namespace prof::cli
