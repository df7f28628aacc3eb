#include "exporters/analysis/analyze/program/waits/call_details.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "exporters/analysis/analyze/program/waits/call_purpose.hpp"
#include "exporters/analysis/analyze/program/waits/places.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::analyze {

namespace {

// True if the function returns the number of bytes that it transferred.
bool returns_bytes(std::string_view function) {
  while (function.starts_with('_')) function.remove_prefix(1);
  for (const std::string_view prefix : {"read", "pread", "write", "pwrite", "recv", "send"})
    if (function.starts_with(prefix)) return purpose_of(function) == CallPurpose::kTransfer;
  return false;
}

// Returns the wait for a file by the file's name in OSRT_FILE_ACCESS_DESCRIPTORS.
std::optional<Activity> wait_for_file(std::string_view name) {
  for (const std::string_view prefix : {"tcp", "udp", "unix"})
    if (name.starts_with(prefix)) return Activity::kNetwork;
  if (name.starts_with("pipe:") || name.starts_with("/dev/pts/") || name.starts_with("/dev/tty"))
    return Activity::kInput;
  if (name.starts_with("anon_inode:")) return Activity::kThreads;
  if (name.starts_with('/') || name.starts_with("memfd:")) return Activity::kFile;
  return std::nullopt;
}

// True if a wait for a semaphore at this place waits for a lock, because Python's locks are
// semaphores. In threading.py, in a queue or in a pool, a thread waits for what another thread
// does; in other code it waits for a lock. `place` is a place of Python code, or empty.
bool is_lock_place(std::string_view place) {
  if (place.find(".py") == std::string_view::npos) return false;
  return std::ranges::none_of(
      std::initializer_list<std::string_view>{"threading.py", "queue.py", "queues.py", "thread.py",
                                              "pool.py", "futures/process.py"},
      [&](std::string_view file) { return place.find(file) != std::string_view::npos; });
}

bool is_python_lock(const events::Caller& caller) {
  const std::string_view places(caller.places);
  const std::string_view innermost =
      places.substr(places.rfind(" < ") == std::string_view::npos ? 0 : places.rfind(" < ") + 3);
  return is_lock_place(innermost) && caller.functions.find("SimpleQueue") == std::string::npos;
}

// True if the thread waited in this call at the place of a Python lock. Nothing if no sample shows
// where it waited.
std::optional<bool> waits_for_python_lock(const CpuFacts& facts, const OsCall& call) {
  const CodeProfile::Sample* wait = python_wait_in(facts, call);
  if (wait == nullptr) return std::nullopt;
  const CodeProfile& profile = *facts.python_waits;
  const auto file_of = [&](events::CallTree::Node node) -> std::string_view {
    return profile.code.function_of(profile.tree.frame(node)).module;
  };
  // The code that uses a lock of multiprocessing says what the lock is for: idle processes of a
  // pool wait for the lock of their queue.
  events::CallTree::Node node = wait->node;
  while (file_of(node).ends_with("multiprocessing/synchronize.py") &&
         profile.tree.parent(node) != events::CallTree::kNone)
    node = profile.tree.parent(node);
  return is_lock_place(file_of(node));
}

// True if a mutex belongs to CPython's interpreter. Such mutexes implement the interpreter lock.
bool is_interpreter(const events::Caller& caller) {
  const std::string_view innermost =
      std::string_view(caller.places).substr(0, caller.places.find(" < "));
  const std::string_view file = events::file_name(innermost);
  return file.starts_with("python3") || file.starts_with("libpython3");
}

bool is_semaphore(std::string_view function) {
  return function == "sem_wait" || function == "sem_timedwait" || function == "sem_clockwait";
}

// The details that are the same for all calls of a function.
struct FunctionDetails {
  CallPurpose purpose;
  bool returns_bytes;
  bool is_semaphore;
  bool is_mutex;
};

class Details {
 public:
  Details(std::vector<OsCall>& calls, std::span<const std::int64_t> tids, CpuFacts& facts)
      : calls_(calls), tids_(tids), facts_(facts) {}

  void add_from_functions() {
    for (OsCall& call : calls_) {
      const FunctionDetails& function = details_of(call.name);
      call.purpose = function.purpose;
      if (function.returns_bytes) call.bytes = std::max<std::int64_t>(call.result, 0);
      if (facts_.database_locks.contains(call.chain)) call.waits_for = Activity::kLock;
      const events::Caller* caller = caller_of(function, call);
      if (function.is_mutex && caller != nullptr && is_interpreter(*caller))
        call.waits_for = Activity::kGil;
      if (function.is_semaphore && caller != nullptr && is_python_lock(*caller))
        call.waits_for = Activity::kLock;
      else if (function.is_semaphore && facts_.python_waits)
        add_python_wait(call);
    }
    judge_unseen_waits();
  }

  base::Status read_files(const report::ReportReader& reader) {
    for (std::uint32_t i = 0; i < tids_.size(); ++i)
      threads_[{events::pid_of(tids_[i]), events::tid_of(tids_[i])}] = i;
    std::unordered_map<std::string, std::uint32_t> numbers;
    const base::Status read = events::for_each_row(
        reader, fmt::format("SELECT fileAccessId, filePath, processId FROM {}", events::kFileTable),
        [&](const report::Statement& row) {
          const auto [at, is_new] = numbers.try_emplace(
              std::string(row.text(1)), static_cast<std::uint32_t>(facts_.files.size()));
          if (is_new) {
            facts_.files.push_back(tables::one_line(at->first, kMaxLetters));
            waits_.push_back(wait_for_file(at->first));
          }
          accesses_[row.integer(0)] = {at->second, row.integer(2)};
        });
    if (!read) return read;
    return report::scan(
        reader,
        {events::kFileEventTable, {"fileAccessId", "threadId", "startedAt", "bytesProcessed"}},
        [&](const report::Row& row) { add(row); });
  }

 private:
  static constexpr std::size_t kMaxLetters = 150;
  // Samples show nearly all waits that are longer than this.
  static constexpr std::int64_t kLongestUnseen = 20'000'000;  // ns

  const FunctionDetails& details_of(std::int64_t name) {
    const auto [at, is_new] = functions_.try_emplace(name);
    if (is_new) {
      const std::string& text = facts_.strings->text(name);
      at->second = {purpose_of(text), returns_bytes(text), is_semaphore(text),
                    text == "pthread_mutex_lock"};
    }
    return at->second;
  }

  // The waits for Python's semaphores in one process: the number of sampled waits for locks and for
  // others, and the waits without a sample.
  struct SemaphoreWaits {
    std::int64_t locks = 0;
    std::int64_t others = 0;
    std::vector<OsCall*> unseen;
  };

  void add_python_wait(OsCall& call) {
    SemaphoreWaits& waits = semaphore_waits_[events::process_of(tids_[call.thread])];
    const std::optional<bool> is_lock = waits_for_python_lock(facts_, call);
    if (!is_lock) {
      waits.unseen.push_back(&call);
    } else if (*is_lock) {
      call.waits_for = Activity::kLock;
      ++waits.locks;
    } else if (call.length() < kLongestUnseen) {
      ++waits.others;
    }
  }

  // Decides what waits without a sample were for. Most short waits have none; they are assumed to
  // have the purpose of most sampled waits.
  void judge_unseen_waits() {
    for (auto& [process, waits] : semaphore_waits_)
      if (waits.locks > waits.others)
        for (OsCall* call : waits.unseen)
          if (call->length() < kLongestUnseen) call->waits_for = Activity::kLock;
  }

  // Returns the caller if it may change what the call waits for, otherwise null.
  const events::Caller* caller_of(const FunctionDetails& function, const OsCall& call) {
    if (!facts_.callers || !(function.is_semaphore || function.is_mutex)) return nullptr;
    const std::int64_t caller = facts_.callers->caller_of(call.chain, call.name);
    return caller == events::Callers::kNone ? nullptr : &facts_.callers->text(caller);
  }

  // Adds a file access to its call. The row has the thread and the start of the call.
  void add(const report::Row& row) {
    const auto access = accesses_.find(row.integer(0));
    if (access == accesses_.end()) return;
    const auto [file, process] = access->second;
    const auto thread = threads_.find({process, row.integer(1)});
    if (thread == threads_.end()) return;
    const auto key = std::tuple(thread->second, row.integer(2));
    const auto call = std::lower_bound(calls_.begin(), calls_.end(), key,
                                       [](const OsCall& each, const auto& wanted) {
                                         return std::tuple(each.thread, each.start) < wanted;
                                       });
    if (call == calls_.end() || std::tuple(call->thread, call->start) != key) return;
    call->file = file;
    if (is_transfer(call->purpose)) {
      call->bytes = std::max<std::int64_t>(row.integer(3), 0);
      call->waits_for = waits_[file];
    }
  }

  struct Access {
    std::uint32_t file;
    std::int64_t process;
  };

  std::vector<OsCall>& calls_;
  std::span<const std::int64_t> tids_;  // by thread
  CpuFacts& facts_;
  std::map<std::int64_t, SemaphoreWaits> semaphore_waits_;  // by process
  std::unordered_map<std::int64_t, FunctionDetails> functions_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> threads_;  // by pid and tid
  std::unordered_map<std::int64_t, Access> accesses_;
  std::vector<std::optional<Activity>> waits_;  // by file
};

// Reads the sums of calls below the threshold. Only prof's reports have this table.
base::Status read_short_calls(const report::ReportReader& reader,
                              std::span<const std::int64_t> tids, CpuFacts& facts) {
  if (!reader.has_table(events::kShortCallTable)) return {};
  return report::scan(reader,
                      {events::kShortCallTable, {"globalTid", "nameId", "calls", "duration"}},
                      [&](const report::Row& row) {
                        const auto at = std::lower_bound(tids.begin(), tids.end(), row.integer(0));
                        const std::int64_t calls = row.integer(2);
                        const std::int64_t duration = row.integer(3);
                        if (at == tids.end() || *at != row.integer(0) || calls < 0 || duration < 0)
                          return;
                        facts.short_calls.push_back({static_cast<std::uint32_t>(at - tids.begin()),
                                                     row.integer(1), calls, duration});
                      });
}

}  // namespace

base::Status read_call_details(const report::ReportReader& reader,
                               std::span<const std::int64_t> tids, std::vector<OsCall>& calls,
                               CpuFacts& facts) {
  Details details(calls, tids, facts);
  details.add_from_functions();
  if (const base::Status read = read_short_calls(reader, tids, facts); !read) return read;
  if (!reader.has_table(events::kFileTable) || !reader.has_table(events::kFileEventTable))
    return {};
  return details.read_files(reader);
}

}  // namespace prof::analyze
