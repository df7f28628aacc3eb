#include "collector/prometheus/range_times.hpp"

namespace prof::prometheus {

void RangeTimes::process_joined(std::uint32_t serial, std::uint32_t parent) {
  process_ = nullptr;
  std::unordered_map<std::uint32_t, std::uint64_t> domains;
  if (const auto found = processes_.find(parent); found != processes_.end())
    domains = found->second.domains;
  processes_[serial].domains.merge(domains);
}

void RangeTimes::process_ended(std::uint32_t serial) {
  process_ = nullptr;
  processes_.erase(serial);
}

bool RangeTimes::thread(std::uint32_t serial, std::uint32_t tid) {
  const auto found = processes_.find(serial);
  process_ = found == processes_.end() ? nullptr : &found->second;
  tid_ = tid;
  return process_ != nullptr;
}

RangeName RangeTimes::name_of(std::uint32_t domain, std::uint64_t text) const {
  const auto found = process_->domains.find(domain);
  return {found == process_->domains.end() ? 0 : found->second, text};
}

void RangeTimes::domain(std::uint32_t id, std::uint64_t name) {
  if (process_->domains.size() < kMostOpen) process_->domains[id] = name;
}

void RangeTimes::push(std::uint32_t domain, std::uint64_t text, std::uint64_t time,
                      std::uint32_t weight) {
  std::vector<Open>& stack = process_->stacks[stack_key(domain)];
  if (stack.size() < kMostOpen) stack.push_back({name_of(domain, text), time, weight});
}

void RangeTimes::pop(std::uint32_t domain, std::uint64_t time) {
  const auto stack = process_->stacks.find(stack_key(domain));
  if (stack == process_->stacks.end()) return;
  report(stack->second.back(), time);
  stack->second.pop_back();
  if (stack->second.empty()) process_->stacks.erase(stack);  // the thread may have ended
}

void RangeTimes::start(std::uint32_t domain, std::uint64_t text, std::uint64_t range,
                       std::uint64_t time, std::uint32_t weight) {
  const Open open{name_of(domain, text), time, weight};
  if (const auto end = process_->ended.find(range); end != process_->ended.end()) {
    report(open, end->second);
    process_->ended.erase(end);
  } else if (process_->started.size() < kMostOpen) {
    process_->started.emplace(range, open);
  }
}

void RangeTimes::end(std::uint64_t range, std::uint64_t time) {
  if (const auto open = process_->started.find(range); open != process_->started.end()) {
    report(open->second, time);
    process_->started.erase(open);
  } else if (process_->ended.size() < kMostOpen) {
    process_->ended.emplace(range, time);
  }
}

}  // namespace prof::prometheus
