#include "cli/export/report_work.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <exception>
#include <thread>

#include "cli/export/export_report.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/stats/print_stats.hpp"
#include "exporters/ranks/partial_file.hpp"

namespace prof::cli {

namespace {

base::Status write_partial(const std::string& report) try {
  return ranks::write_partial_file(report);
} catch (const std::exception& error) {
  return base::fail(error.what());
}

// Other ranks of the job may still run on this machine, so the thread gets only time that nobody
// else wants. All signals are blocked in it: a file that exceeds a limit is then an error, and does
// not end prof.
void write_partials(const std::vector<std::string>& reports) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::jthread thread([&] {
    const sched_param idle{};
    static_cast<void>(sched_setscheduler(0, SCHED_IDLE, &idle));
    for (const std::string& report : reports)
      if (const base::Status written = write_partial(report); !written)
        print_message("prof: {} has no partial results: {}\n", report, written.error().message);
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void do_report_work(const std::vector<std::string>& reports, const ReportWork& work,
                    bool overwrite) {
  if (work.partial) write_partials(reports);
  for (const std::string& report : reports) export_all(report, work.exports, overwrite);
  for (const std::string& report : reports)
    if (work.stats) print_stats({.report = report, .view = {.no_pager = true}});
}

}  // namespace prof::cli
