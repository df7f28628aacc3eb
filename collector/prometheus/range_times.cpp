#include "collector/prometheus/range_times.hpp"

#include <algorithm>

namespace prof::prometheus {

namespace {
constexpr int kMaxAncestors = 64;
}  // namespace

void RangeTimes::process_joined(std::uint32_t serial, std::uint32_t parent) {
  process_ = nullptr;
  processes_[serial].parent = parent;
}

void RangeTimes::process_ended(std::uint32_t serial) {
  process_ = nullptr;
  const auto found = processes_.find(serial);
  if (found == processes_.end()) return;
  Process& process = found->second;
  settle_unnamed(process);
  for (const Unnamed& each : process.unnamed) count(each.range, 0, each.end);
  keep_domains(serial, process);
  processes_.erase(found);
}

void RangeTimes::keep_domains(std::uint32_t serial, Process& process) {
  if (process.domains.empty() && process.parent == 0) return;
  ended_domains_ += process.domains.size();
  ended_.push_back({serial, process.parent, std::move(process.domains)});
  while (ended_.size() > kMaxEnded || ended_domains_ > kMaxUnnamed) {
    ended_domains_ -= ended_.front().domains.size();
    ended_.pop_front();
  }
}

const RangeTimes::Ended* RangeTimes::find_ended(std::uint32_t serial) const {
  const auto found = std::find_if(ended_.rbegin(), ended_.rend(),
                                  [&](const Ended& each) { return each.serial == serial; });
  return found == ended_.rend() ? nullptr : &*found;
}

bool RangeTimes::thread(std::uint32_t serial, std::uint32_t tid) {
  const auto found = processes_.find(serial);
  process_ = found == processes_.end() ? nullptr : &found->second;
  tid_ = tid;
  return process_ != nullptr;
}

// Returns the name that the process or one of its ancestors has given to the domain.
std::optional<std::uint64_t> RangeTimes::domain_name(const Process& process,
                                                     std::uint32_t id) const {
  if (id == 0) return 0;  // the default domain
  const Domains* domains = &process.domains;
  std::uint32_t parent = process.parent;
  for (int i = 0; i < kMaxAncestors; ++i) {
    if (const auto found = domains->find(id); found != domains->end()) return found->second;
    if (parent == 0) break;
    if (const auto living = processes_.find(parent); living != processes_.end()) {
      domains = &living->second.domains;
      parent = living->second.parent;
    } else if (const Ended* ended = find_ended(parent)) {
      domains = &ended->domains;
      parent = ended->parent;
    } else {
      break;
    }
  }
  return std::nullopt;
}

void RangeTimes::domain(std::uint32_t id, std::uint64_t name) {
  if (process_->domains.size() >= kMaxUnnamed) return;
  process_->domains[id] = name;
  for (auto& [serial, process] : processes_)
    if (!process.unnamed.empty()) settle_unnamed(process);
}

void RangeTimes::settle_unnamed(Process& process) {
  std::erase_if(process.unnamed, [&](const Unnamed& each) {
    const auto name = domain_name(process, each.range.domain);
    if (name) count(each.range, *name, each.end);
    return name.has_value();
  });
}

void RangeTimes::report(const Open& range, std::uint64_t end) {
  if (const auto name = domain_name(*process_, range.domain)) {
    if (range.domain != 0) process_->domains.emplace(range.domain, *name);  // an ancestor's name
    count(range, *name, end);
  } else if (process_->unnamed.size() < kMaxUnnamed) {
    process_->unnamed.push_back({range, end});
  } else {
    count(range, 0, end);
  }
}

void RangeTimes::push(std::uint32_t domain, std::uint64_t text, std::uint64_t time,
                      std::uint32_t weight) {
  process_->threads[tid_].push(domain, {domain, text, time, weight});
}

void RangeTimes::pop(std::uint32_t domain, std::uint64_t time) {
  const auto thread = process_->threads.find(tid_);
  if (thread == process_->threads.end()) return;
  if (const auto open = thread->second.pop(domain)) report(*open, time);
  if (thread->second.empty()) process_->threads.erase(thread);  // the thread may have ended
}

void RangeTimes::start(std::uint32_t domain, std::uint64_t text, std::uint64_t range,
                       std::uint64_t time, std::uint32_t weight) {
  const Open open{domain, text, time, weight};
  if (const auto end = process_->started.start(range, open)) report(open, *end);
}

void RangeTimes::end(std::uint64_t range, std::uint64_t time) {
  if (const auto open = process_->started.end(range, time)) report(*open, time);
}

}  // namespace prof::prometheus
