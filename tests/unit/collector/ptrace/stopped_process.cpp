#include "tests/unit/collector/ptrace/stopped_process.hpp"

#include <algorithm>
#include <string>

#include "common/base/proc_ids.hpp"
#include "common/base/raw_time.hpp"

namespace prof::ptrace {

namespace {

using std::chrono::nanoseconds;

bool has(const std::vector<SeizedThread>& threads, pid_t id) {
  return std::any_of(threads.begin(), threads.end(),
                     [&](const SeizedThread& thread) { return thread.id() == id; });
}

bool is_there(pid_t process, pid_t thread) {
  const auto ids = base::threads_of(process);
  return std::find(ids.begin(), ids.end(), thread) != ids.end();
}

}  // namespace

// Returns whether there were any.
base::Result<bool> StoppedProcess::seize_new_threads() {
  bool any = false;
  const auto ids = base::threads_of(id_);
  if (ids.empty()) return base::fail("process " + std::to_string(id_) + " has ended");
  for (const pid_t id : ids) {
    if (has(stopped_, id) || has(running_, id)) continue;
    auto thread = SeizedThread::seize(id);
    if (thread) {
      thread->interrupt();
      running_.push_back(std::move(*thread));
      any = true;
    } else if (is_there(id_, id)) {
      // A main thread that has ended stays in the list, as a zombie, until the others have ended.
      if (id == id_ && ids.size() > 1 && (!stopped_.empty() || !running_.empty())) continue;
      return tl::make_unexpected(thread.error());
    }
  }
  return any;
}

void StoppedProcess::wait_for_all(nanoseconds timeout) {
  const std::uint64_t end = base::raw_time() + static_cast<std::uint64_t>(timeout.count());
  for (auto& thread : running_) {
    const std::uint64_t now = base::raw_time();
    thread.wait(nanoseconds(now < end ? end - now : 0));
  }
  for (auto& thread : running_)
    if (thread.is_stopped()) stopped_.push_back(std::move(thread));
  // What has no id has ended or was moved.
  std::erase_if(running_, [](const SeizedThread& thread) { return thread.id() == 0; });
}

base::Result<StoppedProcess> StoppedProcess::stop(pid_t process, nanoseconds timeout) {
  StoppedProcess all(process);
  const std::uint64_t end = base::raw_time() + static_cast<std::uint64_t>(timeout.count());
  // A stopped thread makes no new ones. So a list that has nothing new is complete, unless one of
  // the threads does not stop.
  for (;;) {
    const auto any = all.seize_new_threads();
    if (!any) return tl::make_unexpected(any.error());
    if (!*any) break;
    const std::uint64_t now = base::raw_time();
    all.wait_for_all(nanoseconds(now < end ? end - now : 0));
    if (base::raw_time() >= end) break;
  }
  if (all.stopped_.empty() && all.running_.empty())
    return base::fail("process " + std::to_string(process) + " has ended");
  return all;
}

void StoppedProcess::let_go() {
  // The stopped threads first: they have waited already. The main thread last: if the process has
  // been killed, its end comes after that of the others.
  while (!stopped_.empty()) stopped_.pop_back();
  while (!running_.empty()) running_.pop_back();
}

}  // namespace prof::ptrace
