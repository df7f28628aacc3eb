#include "exporters/analysis/analyze/program/cpu_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/program/share_clock.hpp"
#include "exporters/analysis/analyze/program/thread_records.hpp"
#include "exporters/analysis/analyze/program/waits/call_details.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/thread_names.hpp"

namespace prof::analyze {

namespace {

base::Status read_threads(const report::ReportReader& reader, const ThreadRecords& records,
                          CpuFacts& facts) {
  const auto names = events::ThreadNames::read(reader);
  if (!names) return tl::make_unexpected(names.error());
  std::set<std::int64_t> processes;
  for (const std::int64_t tid : records.tids) {
    CpuThread thread;
    thread.global_tid = tid;
    thread.name = names->thread(tid);
    thread.process = names->process(tid);
    facts.threads.push_back(std::move(thread));
    processes.insert(events::process_of(tid));
  }
  facts.processes = static_cast<std::int64_t>(processes.size());
  return {};
}

void add_times(ShareClock& clock, CpuFacts& facts) {
  const Period* last = nullptr;
  for (Period& period : facts.periods) {
    CpuThread& thread = facts.threads[period.thread];
    const auto activity = static_cast<std::size_t>(period.activity);
    period.share = clock.share(period.activity, period.start, period.end);
    if (last == nullptr || last->thread != period.thread) thread.start = period.start;
    thread.end = period.end;
    thread.times[activity] += period.length();
    thread.shares[activity] += period.share;
    facts.shares[activity] += period.share;
    facts.time += period.share;
    last = &period;
  }
}

// Adds the shares of the periods to the calls that contain them. Calls that are not nested do not
// overlap, so each period is visited once, and once more if a call ends in it.
void add_call_shares(ShareClock& clock, CpuFacts& facts) {
  std::size_t next = 0;
  for (OsCall& call : facts.calls) {
    if (call.is_nested) continue;
    const auto is_before = [&](const Period& period) {
      return period.thread < call.thread ||
             (period.thread == call.thread && period.end <= call.start);
    };
    while (next < facts.periods.size() && is_before(facts.periods[next])) ++next;
    for (std::size_t i = next; i < facts.periods.size(); ++i) {
      const Period& period = facts.periods[i];
      if (period.thread != call.thread || period.start >= call.end) break;
      const double share = clock.share(period.activity, std::max(period.start, call.start),
                                       std::min(period.end, call.end));
      call.share += share;
      if (period.activity == Activity::kRunning) call.running += share;
    }
  }
}

// Returns the number of CPUs on which threads ran. One on which they ran for a moment, such as
// before taskset gave them others, does not count.
std::int64_t cpus_of(std::span<const insight::StatePeriod> states) {
  std::map<std::int32_t, std::int64_t> times;
  std::int64_t all = 0;
  for (const insight::StatePeriod& each : states)
    if (each.state == insight::ThreadState::kRunning) {
      times[each.cpu] += each.end - each.start;
      all += each.end - each.start;
    }
  return std::ranges::count_if(times,
                               [&](const auto& each) { return each.second > all / kMoment; });
}

base::Status read_profiles(const report::ReportReader& reader, const ThreadRecords& records,
                           ShareClock& clock, const events::CodeLines* lines, CpuFacts& facts) {
  auto native = read_profile(reader, records.native, facts, lines);
  if (!native) return tl::make_unexpected(native.error());
  facts.native = *std::move(native);
  if (facts.native) add_shares(records.native.interval, clock, facts, *facts.native);
  auto python = read_profile(reader, records.python, facts, nullptr);
  if (!python) return tl::make_unexpected(python.error());
  facts.python = *std::move(python);
  if (facts.python) add_shares(records.python.interval, clock, facts, *facts.python);
  return {};
}

base::Status read_callers(const report::ReportReader& reader, const events::CodeLines* lines,
                          CpuFacts& facts) {
  constexpr std::int64_t kDepth = 2;  // number of a caller's frames
  if (!reader.has_table(events::kOsrtCallChainTable)) return {};
  auto callers =
      events::Callers::read(reader, events::kOsrtCallChainTable, kDepth, *facts.strings, lines);
  if (!callers) return tl::make_unexpected(callers.error());
  facts.callers.emplace(*std::move(callers));
  facts.callers->leave_out_headers();
  auto locks = read_database_locks(reader);
  if (!locks) return tl::make_unexpected(locks.error());
  facts.database_locks = *std::move(locks);
  return {};
}

base::Status read_python_waits(const report::ReportReader& reader, const ThreadRecords& records,
                               CpuFacts& facts) {
  auto waits = read_profile(reader, records.python_waits, facts, nullptr);
  if (!waits) return tl::make_unexpected(waits.error());
  facts.python_waits = *std::move(waits);
  return {};
}

// Sets what was recorded. The report has it, or its options say so.
base::Status read_recorded(const report::ReportReader& reader, CpuFacts& facts) {
  facts.has_calls = !facts.calls.empty();
  facts.has_samples = facts.native != nullptr;
  facts.has_python_samples = facts.python != nullptr;
  if (!reader.has_table("META_DATA_CAPTURE")) return {};
  return events::for_each_row(
      reader, "SELECT name, value FROM META_DATA_CAPTURE", [&](const report::Statement& row) {
        const std::string_view name = row.text(0);
        const std::string_view value = row.text(1);
        if (name == "CAPTURE_EVENT_TYPE" && value == "OSRuntime") facts.has_calls = true;
        if (name == "LINUX_PERF_OPTIONS:COLLECT_IP_BACKTRACE_SAMPLES" && value == "true")
          facts.has_samples = true;
        if (name == "LINUX_PERF_OPTIONS:COLLECT_CPU_CTXSW_TRACE" && value == "true")
          facts.has_states = true;
        if (name.starts_with("PYTHON_SAMPLING_OPTIONS:")) facts.has_python_samples = true;
      });
}

bool is_python(const std::string& process) {
  return events::file_name(process).starts_with("python");
}

// Marks waits for the interpreter lock in a report without lock ranges. CPython waits for the lock
// in steps of 5 ms, and hardly for anything else in this function.
void infer_lock_waits(CpuFacts& facts) {
  constexpr std::int64_t kLongestStep = 10'000'000;  // ns
  static constexpr std::string_view kFunction = "pthread_cond_timedwait";
  NameTest is_wait(facts, [](std::string_view name) { return name == kFunction; });
  for (Period& period : facts.periods) {
    if (period.activity != Activity::kThreads || period.call == CpuFacts::kNone) continue;
    const OsCall& call = facts.calls[period.call];
    if (call.length() > kLongestStep || !is_python(facts.threads[period.thread].process)) continue;
    if (is_wait(call)) period.activity = Activity::kGil;
  }
}

}  // namespace

bool CpuFacts::has_python() const {
  return python || python_waits ||
         std::any_of(threads.begin(), threads.end(),
                     [](const CpuThread& each) { return is_python(each.process); });
}

std::string CpuFacts::thread_text(std::uint32_t number) const {
  const CpuThread& thread = threads[number];
  std::string text = fmt::format("thread {}", events::tid_of(thread.global_tid));
  if (!thread.name.empty()) text += fmt::format(" ({})", base::mark_name("thread", thread.name));
  if (processes > 1) text += fmt::format(" of process {}", events::pid_of(thread.global_tid));
  return text;
}

std::string CpuFacts::caller_text(const OsCall& call) {
  if (!callers) return "";
  const std::int64_t number = callers->caller_of(call.chain, call.name);
  if (number == events::Callers::kNone) return "";
  const events::Caller& caller = callers->text(number);
  return base::mark_name("function", fmt::format("{} ({})", caller.functions, caller.places));
}

base::Result<CpuFacts> read_cpu_facts(const report::ReportReader& reader,
                                      const events::CodeLines* lines) {
  CpuFacts facts;
  facts.strings = std::make_unique<events::Strings>(reader);
  auto records = read_thread_records(reader);
  if (!records) return tl::make_unexpected(records.error());
  base::Status read = read_threads(reader, *records, facts);
  if (!read) return tl::make_unexpected(read.error());
  read = read_callers(reader, lines, facts);
  if (read) read = read_python_waits(reader, *records, facts);
  if (read) read = read_call_details(reader, records->tids, records->calls, facts);
  if (!read) return tl::make_unexpected(read.error());
  facts.has_states = !records->states.empty();
  facts.cpus = cpus_of(records->states);
  facts.periods = periods_of(*records, *facts.strings);
  facts.calls = std::move(records->calls);
  facts.lock_ranges = std::move(records->lock_ranges);
  if (facts.lock_ranges.empty()) infer_lock_waits(facts);
  ShareClock clock(facts.periods);
  add_times(clock, facts);
  add_call_shares(clock, facts);
  read = read_profiles(reader, *records, clock, lines, facts);
  if (read) read = read_recorded(reader, facts);
  if (!read) return tl::make_unexpected(read.error());
  auto openmp = insight::read_openmp_regions(reader);
  if (!openmp) return tl::make_unexpected(openmp.error());
  facts.openmp = *std::move(openmp);
  auto frames = insight::read_frames(reader);
  if (!frames) return tl::make_unexpected(frames.error());
  facts.frames = *std::move(frames);
  auto submits = insight::read_submits(reader);
  if (!submits) return tl::make_unexpected(submits.error());
  facts.submits = *std::move(submits);
  return facts;
}

}  // namespace prof::analyze
