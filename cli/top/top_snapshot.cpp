#include "cli/top/top_snapshot.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cli/messages/failure.hpp"
#include "collector/ingest/report_builder.hpp"
#include "collector/spool/flight/living_recorder.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/raw_time.hpp"
#include "common/base/text/printable.hpp"
#include "common/report/report_writer.hpp"

namespace prof::cli {

namespace {

constexpr double kNano = 1e-9;
// Records arrive with a delay: CUPTI delivers its records once a second. So the last second is not
// shown yet, and records are kept for longer than they are shown.
constexpr double kDelay = 1, kKeptLonger = 3;

// Returns the seconds that a thread was on a CPU.
double cpu_time(const std::string& stat) {
  constexpr int kUserTicks = 14, kKernelTicks = 15;
  const std::uint64_t ticks = base::number_in(base::stat_field(stat, kUserTicks)) +
                              base::number_in(base::stat_field(stat, kKernelTicks));
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

const char* word_of(TopKind kind) {
  constexpr const char* kWords[] = {"kernels", "api", "ranges", "os", "python", "threads"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::vector<TopRow> selected(std::vector<TopRow> rows, TopOrder order, const std::string& filter) {
  std::erase_if(rows,
                [&](const TopRow& row) { return row.name.find(filter) == std::string::npos; });
  const auto key = [order](const TopRow& row) {
    switch (order) {
      case TopOrder::kCount:
        return static_cast<double>(row.count);
      case TopOrder::kP50:
        return row.p50;
      case TopOrder::kP99:
        return row.p99;
      case TopOrder::kLongest:
        return row.longest;
      case TopOrder::kName:
        return 0.0;
      case TopOrder::kTime:
        break;
    }
    return row.share;
  };
  std::ranges::stable_sort(rows, [&](const TopRow& a, const TopRow& b) {
    return key(a) != key(b) ? key(a) > key(b) : a.name < b.name;
  });
  return rows;
}

TopSource::TopSource(const LiveRecording& recording, double seconds)
    : seconds_(seconds),
      begin_(base::raw_time()),
      recording_(cli::take(spool::RecentRecording::open(recording.path))) {
  // Records from before this prof are read once. Their events count as old as possible.
  check(recording_.read(begin_));
  const std::vector<std::byte> bytes = recording_.bytes();
  flight_ = spool::unfinished_flight(cli::take(spool::Spool::parse(bytes)));
}

TopSnapshot TopSource::take() {
  TopSnapshot snapshot;
  snapshot.seconds = seconds_;
  if (flight_)
    read_flight(snapshot);
  else
    read_recording(snapshot);
  return snapshot;
}

void TopSource::read_recording(TopSnapshot& snapshot) {
  const std::uint64_t now = base::raw_time();
  check(recording_.read(now));
  snapshot.is_cut = recording_.is_cut();
  snapshot.has_ended = recording_.has_ended();
  const auto kept = static_cast<std::uint64_t>((seconds_ + kKeptLonger) / kNano);
  if (now > kept) recording_.forget_before(now - kept);
  const std::vector<std::byte> bytes = recording_.bytes();
  read_report(cli::take(spool::Spool::parse(bytes)), snapshot);
}

// The folder of a flight recorder that has ended does not exist any more.
void TopSource::read_flight(TopSnapshot& snapshot) {
  const std::string path = folder_.path() + "/top.spool";
  auto copy = spool::copy_of_flight(*flight_, path);
  unlink(path.c_str());
  std::error_code error;
  snapshot.has_ended = !copy && !std::filesystem::exists(flight_->folder, error);
  if (snapshot.has_ended) return;
  const base::UniqueFd file = cli::take(std::move(copy));
  read_report(cli::take(spool::Spool::open(file.get(), path)), snapshot);
}

void TopSource::read_report(const spool::Spool& spool, TopSnapshot& snapshot) {
  if (spool.clocks.empty()) return;
  const auto now = spool::ClockModel(spool.clocks, 1e9).from_monotonic(base::raw_time());
  const auto delay = static_cast<std::int64_t>(kDelay / kNano);
  const std::int64_t end = std::max(now - delay, now / 2);
  const ingest::Window window{
      std::max<std::int64_t>(end - static_cast<std::int64_t>(seconds_ / kNano), 0), end};
  snapshot.seconds = std::max(static_cast<double>(window.end - window.begin) * kNano, kNano);
  const std::string path = folder_.path() + "/top.db";
  const auto writer = cli::take(report::ReportWriter::create(path, true));
  cli::take(ingest::build_report(spool, *writer, path, {}, window));
  check(writer->finish());
  const auto reader = cli::take(report::ReportReader::open(path));
  read_top_rows(reader, snapshot.seconds, snapshot);
  std::vector<std::int64_t> processes;
  auto query = cli::take(reader.prepare("SELECT DISTINCT pid FROM PROCESSES"));
  while (cli::take(query.step())) processes.push_back(query.integer(0));
  read_threads(processes, snapshot);
}

void TopSource::read_threads(const std::vector<std::int64_t>& processes, TopSnapshot& snapshot) {
  std::map<std::string, double> times;
  for (const std::int64_t pid : processes) {
    const auto process = static_cast<pid_t>(pid);
    // The time of a process includes that of threads that have ended.
    const std::string whole = base::read_proc_file(base::proc_path(process, "stat"));
    if (!whole.empty()) times[fmt::format("{} all threads", pid)] = cpu_time(whole);
    for (const pid_t tid : base::threads_of(process)) {
      std::string name = base::read_proc_file(base::proc_path(process, tid, "comm"));
      name = base::printable(name.substr(0, name.find('\n')));
      times[fmt::format("{} {} {}", pid, tid, name)] =
          cpu_time(base::read_proc_file(base::proc_path(process, tid, "stat")));
    }
  }
  const std::uint64_t now = base::raw_time();
  const double passed = static_cast<double>(now - cpu_time_) * kNano;
  auto& rows = snapshot.rows[static_cast<std::size_t>(TopKind::kThreads)];
  for (const auto& [name, time] : times) {
    const auto before = cpu_before_.find(name);
    if (before == cpu_before_.end() || cpu_time_ == 0) continue;
    rows.push_back({name, 0, std::max(0.0, time - before->second) / passed, 0, 0, 0});
  }
  cpu_before_ = std::move(times);
  cpu_time_ = now;
}

}  // namespace prof::cli
