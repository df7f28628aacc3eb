#include "collector/ingest/system_call_builder.hpp"

#include <algorithm>

#include "collector/ingest/system_call_names.hpp"

namespace prof::ingest {

namespace {

// rt_sigreturn restores the registers of the interrupted code, and with them "no system call".
constexpr std::uint32_t kNoNumber = ~0U;
// What the kernel says of a thread that has no number in the profiler's pid namespace.
constexpr std::uint32_t kElsewhere = ~0U;
constexpr std::int64_t kDefaultPriority = 20;

bool is_exec(std::uint32_t number) { return number == 59 || number == 322; }

// exit and exit_group: they end with their thread.
bool never_returns(std::uint32_t number, bool is_32_bit) {
  return is_32_bit ? number == 1 || number == 252 : number == 60 || number == 231;
}

}  // namespace

void SystemCallBuilder::add(std::span<const KernelPiece> pieces, std::uint64_t lost) {
  stats_.corrupt_bytes +=
      for_each_kernel_event(pieces, [this](const KernelEvent& event) { handle(event); });
  // The kernel counts also those after which no record came any more.
  stats_.lost = std::max(stats_.lost, lost);
}

void SystemCallBuilder::handle(const KernelEvent& event) {
  const KernelRecord& record = event.record;
  if (record.type == KernelRecordType::kLost) {
    stats_.lost += record.value;
    ++gaps_[event.cpu];
    return;
  }
  if (record.pid == 0 || record.tid == 0 || record.tid == kElsewhere) return;
  last_time_ = std::max(last_time_, clock_.from_monotonic(record.time));
  switch (record.type) {
    case KernelRecordType::kEnter:
      return enter(event);
    case KernelRecordType::kExit:
      return exit(record);
    case KernelRecordType::kFork:
      return fork(record);
    case KernelRecordType::kThreadEnd:
      return end_thread(record);
    case KernelRecordType::kName:
      return rename(event);
    case KernelRecordType::kLost:
      break;
  }
}

SystemCallBuilder::Thread& SystemCallBuilder::thread(std::uint32_t pid, std::uint32_t tid) {
  Thread& thread = threads_[tid];
  thread.pid = pid;
  return thread;
}

void SystemCallBuilder::enter(const KernelEvent& event) {
  const KernelRecord& record = event.record;
  Thread& caller = thread(record.pid, record.tid);
  if (caller.call) ++stats_.torn;
  caller.call = Call{record.time,  global_tid(static_cast<std::int32_t>(record.pid), record.tid),
                     record.value, (record.flags & kCallOf32Bit) != 0,
                     event.cpu,    gaps_[event.cpu]};
}

// Without a call that began: a fork child comes out of its parent's fork, the program out of prof's
// exec, and what seccomp or a tracer refuses has not begun.
void SystemCallBuilder::exit(const KernelRecord& record) {
  const auto found = threads_.find(record.tid);
  if (found == threads_.end() || !found->second.call) return;
  const Call call = *found->second.call;
  found->second.call.reset();
  const bool fits = record.value == call.number || record.value == kNoNumber;
  // After a gap it may be the end of a later call of the same name.
  if (!fits || record.time < call.time || gaps_[call.cpu] != call.gap)
    ++stats_.torn;
  else
    add_row(found->second, call, clock_.from_monotonic(record.time));
}

void SystemCallBuilder::fork(const KernelRecord& record) {
  const auto parent = threads_.find(record.value);
  // By value: a new element may move the parent.
  const std::string name = parent == threads_.end() ? std::string() : parent->second.name;
  const std::uint32_t parent_pid = parent == threads_.end() ? 0 : parent->second.pid;
  if (record.pid != parent_pid && process_names_.contains(parent_pid))
    process_names_[record.pid] = std::string(process_names_[parent_pid]);
  Thread& child = threads_[record.tid];
  forget(record.tid, child);
  child = Thread{record.pid, name, std::nullopt, false};
}

void SystemCallBuilder::rename(const KernelEvent& event) {
  const KernelRecord& record = event.record;
  Thread& renamed = thread(record.pid, record.tid);
  renamed.name = event.name;
  if ((record.flags & kNameFromExec) == 0) return;
  process_names_[record.pid] = event.name;
  exec(record, renamed);
}

// Whichever thread calls exec goes on as the main thread, and so the call ends there.
void SystemCallBuilder::exec(const KernelRecord& record, Thread& leader) {
  if (leader.call && is_exec(leader.call->number)) return;
  leader.call.reset();
  for (auto& [tid, thread] : threads_) {
    if (thread.pid != record.pid || !thread.call || !is_exec(thread.call->number)) continue;
    leader.call = thread.call;
    thread.call.reset();
    thread.has_rows = true;  // the exec itself
    forget(tid, thread);
    threads_.erase(tid);
    return;
  }
}

void SystemCallBuilder::end_thread(const KernelRecord& record) {
  const auto found = threads_.find(record.tid);
  if (found == threads_.end()) return;
  Thread& thread = found->second;
  if (const auto call = thread.call) {
    if (never_returns(call->number, call->is_32_bit) && record.time >= call->time)
      add_row(thread, *call, clock_.from_monotonic(record.time));
    else
      ++stats_.torn;
  }
  forget(record.tid, thread);
  threads_.erase(found);
}

// Keeps the name of a thread that has rows.
void SystemCallBuilder::forget(std::uint32_t tid, Thread& thread) {
  if (thread.has_rows)
    thread_names_[global_tid(static_cast<std::int32_t>(thread.pid), tid)] = thread.name;
}

void SystemCallBuilder::add_row(Thread& thread, const Call& call, std::int64_t end) {
  ++stats_.calls;
  thread.has_rows = true;
  processes_with_rows_.insert(thread.pid);
  writer_.add(
      report::SystemCallRow{clock_.from_monotonic(call.time), end, call.global_tid, name_id(call)});
}

std::int32_t SystemCallBuilder::name_id(const Call& call) {
  const std::uint64_t key = std::uint64_t{call.is_32_bit} << 32 | call.number;
  const auto [found, added] = name_ids_.try_emplace(key, 0);
  if (added) found->second = writer_.string_id(system_call_name(call.number, call.is_32_bit));
  return found->second;
}

void SystemCallBuilder::finish(std::int64_t end) {
  for (auto& [tid, thread] : threads_) {
    if (thread.call && stats_.lost == 0) {
      ++stats_.in_progress;
      add_row(thread, *thread.call, std::max(end, clock_.from_monotonic(thread.call->time)));
    } else if (thread.call) {
      ++stats_.torn;
    }
    forget(tid, thread);
  }
  threads_.clear();
}

void SystemCallBuilder::write_names(const std::set<std::int64_t>& threads) {
  for (const auto& [id, name] : thread_names_)
    if (!threads.contains(id))
      writer_.add("ThreadNames",
                  {static_cast<std::int64_t>(writer_.string_id(name)), kDefaultPriority, id});
  for (const ProcessImage& image : processes_.images())
    processes_with_rows_.erase(static_cast<std::uint32_t>(image.pid));
  for (const std::uint32_t pid : processes_with_rows_)
    writer_.add("PROCESSES", {global_pid(static_cast<std::int32_t>(pid)),
                              static_cast<std::int64_t>(pid), process_names_[pid]});
}

}  // namespace prof::ingest
