#include "common/code/symbols/code_history.hpp"

#include <algorithm>
#include <iterator>

namespace prof::symbols {
namespace {

// Limits the search if a program reports much overlapping code.
constexpr int kMaxLookedAt = 4096;

}  // namespace

void CodeHistory::add(std::uint64_t address, std::uint64_t size, std::uint64_t time,
                      std::uint32_t value) {
  end(address, size, time);
  Code code{size, time, std::numeric_limits<std::uint64_t>::max(), value};
  const auto later = first_overlap(address);
  if (later == live_.end() || later->first >= address + size) {
    live_[address] = code;
    return;
  }
  code.until = later->second.from;
  longest_ended_ = std::max(longest_ended_, size);
  ended_.emplace(address, code);
}

CodeHistory::Live::iterator CodeHistory::first_overlap(std::uint64_t address) {
  const auto above = live_.lower_bound(address);
  if (above == live_.begin()) return above;
  const auto before = std::prev(above);
  return before->first + before->second.size > address ? before : above;
}

void CodeHistory::end(std::uint64_t address, std::uint64_t size, std::uint64_t time) {
  auto code = first_overlap(address);
  while (code != live_.end() && code->first < address + size) {
    if (code->second.from > time) {
      ++code;
      continue;
    }
    code->second.until = time;
    longest_ended_ = std::max(longest_ended_, code->second.size);
    ended_.insert(*code);
    code = live_.erase(code);
  }
}

void CodeHistory::end_all(std::uint64_t time) {
  end(0, std::numeric_limits<std::uint64_t>::max(), time);
}

std::optional<std::uint32_t> CodeHistory::find(std::uint64_t address, std::uint64_t time) const {
  const Code* later = nullptr;
  if (auto live = live_.upper_bound(address); live != live_.begin()) {
    --live;
    if (address - live->first < live->second.size) {
      if (time >= live->second.from) return live->second.value;
      later = &live->second;
    }
  }
  return find_ended(address, time, later);
}

// `later` is code at the address after that time, or null.
std::optional<std::uint32_t> CodeHistory::find_ended(std::uint64_t address, std::uint64_t time,
                                                     const Code* later) const {
  auto code = ended_.upper_bound(address);
  bool was_used = false;
  for (int i = 0; i < kMaxLookedAt && code != ended_.begin(); ++i) {
    --code;
    const auto& [start, each] = *code;
    if (address - start >= longest_ended_) break;
    if (address - start >= each.size) continue;
    if (time >= each.from && time < each.until) return each.value;
    if (time >= each.until)
      was_used = true;
    else if (later == nullptr || each.from < later->from)
      later = &each;
  }
  if (was_used || later == nullptr) return {};
  return later->value;
}

void CodeHistory::forget_before(std::uint64_t time) {
  std::erase_if(ended_, [&](const auto& each) { return each.second.until < time; });
}

}  // namespace prof::symbols
