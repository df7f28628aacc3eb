// Findings about threads that wait for disks, files, sockets and pipes.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/analyze/program/waits/call_purpose.hpp"
#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/analyze/program/waits/places.hpp"
#include "exporters/analysis/events/global_ids.hpp"

namespace prof::analyze {

namespace {

std::optional<Finding> finding_of(const CpuFacts& facts, const std::vector<CallSite>& sites,
                                  const char* rule, const char* sentence, const char* remedy) {
  const double share = share_of(sites);
  if (share <= 0) return std::nullopt;
  Finding finding{rule,
                  sentence,
                  static_cast<std::int64_t>(share),
                  sites_text(facts, sites),
                  remedy,
                  where_of(facts, sites.front().longest)};
  add_calls(sites, finding);
  return finding;
}

std::int64_t process_of(const CpuFacts& facts, const OsCall& call) {
  return events::process_of(facts.threads[call.thread].global_tid);
}

// Returns the processes that accept clients. While such a process waits for a client, it has
// nothing to do.
std::set<std::int64_t> servers(const CpuFacts& facts) {
  std::set<std::int64_t> result;
  for (const OsCall& call : facts.calls)
    if (call.purpose == CallPurpose::kAccept) result.insert(process_of(facts, call));
  return result;
}

std::string wait_place(CpuFacts& facts, const OsCall& call) {
  const auto* wait = python_wait_in(facts, call);
  return wait != nullptr ? place_text(*facts.python_waits, wait->node) : facts.caller_text(call);
}

// Returns the places where threads wait for the answer of a server that they have just connected
// to. At such a place a server is itself a client, and does not wait for its own clients.
std::set<std::string> client_places(CpuFacts& facts) {
  constexpr std::int64_t kMinWait = 100'000;  // ns; sending the request is shorter
  NameTest is_connect(facts, [](std::string_view name) { return name == "connect"; });
  std::set<std::string> places;
  const OsCall* connect = nullptr;
  for (const OsCall& call : facts.calls) {
    if (call.is_nested) continue;
    if (connect != nullptr && connect->thread != call.thread) connect = nullptr;
    if (is_connect(call)) {
      connect = &call;
    } else if (connect != nullptr && call.length() >= kMinWait &&
               (is_transfer(call.purpose) || call.purpose == CallPurpose::kPoll)) {
      places.insert(wait_place(facts, call));
      connect = nullptr;
    }
  }
  places.erase("");
  return places;
}

// True if the poll waited for what the thread read right afterwards.
bool precedes_a_transfer(const CpuFacts& facts, const OsCall& poll) {
  constexpr std::int64_t kSoon = 1'000'000;  // ns
  // Event loops use epoll, and do not always read next what they waited for.
  if (poll.purpose != CallPurpose::kPoll || poll.result <= 0 ||
      facts.name(poll).starts_with("epoll"))
    return false;
  for (const OsCall* next = &poll + 1; next != facts.calls.data() + facts.calls.size(); ++next) {
    if (next->thread != poll.thread || next->start > poll.end + kSoon) return false;
    if (!next->is_nested) return is_transfer(next->purpose);
  }
  return false;
}

bool is_in_import(const CodeProfile& profile, const CodeProfile::Sample& sample) {
  return is_importlib(profile.code.function_of(profile.tree.frame(sample.node)));
}

// True if Python's import system reads a module in this call. That is a file, though the report
// does not name it.
bool reads_module(CpuFacts& facts, const OsCall& call) {
  if (!is_transfer(call.purpose) || call.file != CpuFacts::kNone) return false;
  if (facts.caller_text(call).find("importlib._bootstrap") != std::string::npos) return true;
  if (const auto* wait = python_wait_in(facts, call); wait != nullptr)
    return is_in_import(*facts.python_waits, *wait);
  const auto* sample = python_sample_near(facts, call.thread, call.start);
  return sample != nullptr && is_in_import(*facts.python, *sample);
}

// True if flushes take enough time. A few flushes are how a program or its database makes sure that
// data is on the disk. Of a short program, flushes may be most of the time although each takes less
// than a millisecond.
bool is_worth_a_change(const CpuFacts& facts, const std::vector<CallSite>& sites) {
  constexpr std::int64_t kFew = 10;
  constexpr double kLong = 200e6;      // ns
  constexpr double kShort = 20e6;      // ns
  constexpr double kMinOfShort = 2e6;  // ns
  constexpr double kMuch = 0.1;        // share of the time
  const double share = share_of(sites);
  const double part = share / std::max(facts.time_with_cpu(), 1.0);
  if (count_of(sites) <= kFew) return share >= kLong || (share >= kMinOfShort && part >= 0.5);
  return share >= kShort || (share >= kMinOfShort && part >= kMuch);
}

}  // namespace

std::optional<Finding> disk_flush(CpuFacts& facts) {
  const auto sites =
      call_sites(facts, [](const OsCall& call) { return call.purpose == CallPurpose::kFlush; });
  if (!is_worth_a_change(facts, sites)) return std::nullopt;
  return finding_of(
      facts, sites, "disk_flush", "The program waits until data is on the disk",
      "Flush less often: one fsync for many changes (a transaction, a batch), fdatasync, a thread "
      "that flushes");
}

std::optional<Finding> file_waits(CpuFacts& facts) {
  return finding_of(
      facts,
      wait_sites(facts,
                 [&](const Period& period, const OsCall& call) {
                   return (period.activity == Activity::kFile &&
                           call.purpose != CallPurpose::kFlush) ||
                          (period.activity == Activity::kInput && reads_module(facts, call));
                 }),
      "file_waits", "Threads are blocked while they use files",
      "Read ahead (posix_fadvise, a thread that reads the next part), write in the "
      "background, use faster or local storage; --osrt-file-access=true records "
      "which files they are");
}

std::optional<Finding> network_waits(CpuFacts& facts) {
  const std::set<std::int64_t> all_servers = servers(facts);
  std::set<std::string> of_clients;
  if (!all_servers.empty()) of_clients = client_places(facts);
  return finding_of(facts,
                    wait_sites(facts,
                               [&](const Period& period, const OsCall& call) {
                                 return period.activity == Activity::kNetwork &&
                                        (!all_servers.contains(process_of(facts, call)) ||
                                         of_clients.contains(wait_place(facts, call)));
                               }),
                    "network_waits", "The program waits for answers from the network",
                    "Send several requests before waiting for the first answer (asynchronous I/O, "
                    "threads, one request for many items), keep connections open; "
                    "--osrt-file-access=true records the peers");
}

std::optional<Finding> input_waits(CpuFacts& facts) {
  const std::set<std::int64_t> all_servers = servers(facts);
  return finding_of(
      facts,
      wait_sites(facts,
                 [&](const Period& period, const OsCall& call) {
                   return period.activity == Activity::kInput &&
                          (is_transfer(call.purpose) || precedes_a_transfer(facts, call)) &&
                          !reads_module(facts, call) &&
                          !all_servers.contains(process_of(facts, call));
                 }),
      "input_waits", "The program waits for data from a pipe, a terminal or another program",
      "Look at what writes the data: it is slower than this program; "
      "--osrt-file-access=true records which pipe or socket it is");
}

}  // namespace prof::analyze
