#include "collector/ingest/cpu/kernel_tasks.hpp"

namespace prof::ingest {

namespace {

constexpr std::int64_t kDefaultPriority = 20;

}  // namespace

void KernelTasks::follow(const KernelEvent& event) {
  const spool::KernelRecord& record = event.record;
  if (record.type == spool::KernelRecordType::kFork) return fork(record);
  if (record.type == spool::KernelRecordType::kName) {
    Thread& renamed = threads_[record.tid];
    renamed.pid = record.pid;
    renamed.name = event.name;
    const bool is_first = (record.flags & spool::kNameFromProc) != 0 && record.tid == record.pid;
    if (is_first || (record.flags & spool::kNameFromExec) != 0)
      process_names_[record.pid] = event.name;
  } else if (record.type == spool::KernelRecordType::kThreadEnd) {
    const auto ended = threads_.find(record.tid);
    if (ended == threads_.end()) return;
    keep_name(ended->second);
    threads_.erase(ended);
  }
}

void KernelTasks::fork(const spool::KernelRecord& record) {
  const auto parent = threads_.find(record.value);
  // The name is copied, because a new element can move the parent.
  const std::string name = parent == threads_.end() ? std::string() : parent->second.name;
  const std::uint32_t parent_pid = parent == threads_.end() ? 0 : parent->second.pid;
  if (record.pid != parent_pid && process_names_.contains(parent_pid))
    process_names_[record.pid] = std::string(process_names_[parent_pid]);
  Thread& child = threads_[record.tid];
  keep_name(child);
  child = Thread{record.pid, name, 0};
}

std::int64_t KernelTasks::mention(std::uint32_t pid, std::uint32_t tid, std::uint64_t time) {
  const std::int64_t id = processes_.global_tid_at(static_cast<std::int32_t>(pid), tid,
                                                   clock_.from_monotonic(time), clock_);
  Thread& thread = threads_[tid];
  thread.pid = pid;
  if (thread.id == id) return id;
  keep_name(thread);
  thread.id = id;
  mentioned_processes_.insert(pid);
  return id;
}

std::int64_t KernelTasks::begin_of(std::uint32_t pid, std::uint64_t time) const {
  return processes_.begin_at(static_cast<std::int32_t>(pid), clock_.from_monotonic(time), clock_);
}

void KernelTasks::keep_name(const Thread& thread) {
  if (thread.id == 0) return;
  std::string& name = thread_names_[thread.id];
  if (!thread.name.empty()) name = thread.name;
}

void KernelTasks::write_names(report::ReportWriter& writer, NamedTasks& named) {
  for (const auto& [tid, thread] : threads_) keep_name(thread);
  for (const auto& [id, name] : thread_names_)
    if (named.threads.insert(id).second)
      writer.add("ThreadNames",
                 {static_cast<std::int64_t>(writer.string_id(name)), kDefaultPriority, id});
  for (const std::uint32_t pid : mentioned_processes_)
    if (named.processes.insert(pid).second)
      writer.add("PROCESSES", {global_pid(static_cast<std::int32_t>(pid)),
                               static_cast<std::int64_t>(pid), process_names_[pid]});
}

}  // namespace prof::ingest
