// Pairs the begins of NVTX ranges with their ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace prof::spool {

// Limit of the ranges that are open in one thread (pushed) or one process (started) while a program
// runs. A program that never ends its ranges would otherwise take ever more of prof's memory. At
// the limit the oldest ranges are forgotten, so that the program's other ranges are still paired.
inline constexpr std::size_t kMaxOpenRanges = 16'384;
// No limit: a spool is finite, and its report has every range.
inline constexpr std::size_t kAllRanges = std::numeric_limits<std::size_t>::max();

// The pushed ranges of one thread. Each domain has a stack.
template <class Begin>
class PushedRanges {
 public:
  explicit PushedRanges(std::size_t max = kMaxOpenRanges,
                        std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : max_(max), stacks_(memory) {}

  void push(std::uint32_t domain, Begin begin) {
    // Empty stacks count, because a program can name any number of domains.
    if (std::max(open_, stacks_.size()) >= max_) drop_outer_half();
    stacks_[domain].push_back(std::move(begin));
    ++open_;
  }

  // Ends the innermost range of the domain. Returns nothing if no range of it is open.
  std::optional<Begin> pop(std::uint32_t domain) {
    const auto stack = stacks_.find(domain);
    if (stack == stacks_.end() || stack->second.empty()) return std::nullopt;
    std::optional<Begin> begin(std::move(stack->second.back()));
    stack->second.pop_back();
    --open_;
    return begin;
  }

  bool empty() const { return open_ == 0; }
  void clear() {
    stacks_.clear();
    open_ = 0;
  }

  // Visits all open ranges; those of a domain from the outermost one.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [domain, stack] : stacks_)
      for (const Begin& begin : stack) visit(begin);
  }

 private:
  void drop_outer_half() {
    open_ = 0;
    for (auto& [domain, stack] : stacks_) {
      stack.erase(stack.begin(), stack.end() - static_cast<std::ptrdiff_t>(stack.size() / 2));
      open_ += stack.size();
    }
    std::erase_if(stacks_, [](const auto& each) { return each.second.empty(); });
  }

  std::size_t max_;
  std::size_t open_ = 0;
  std::pmr::unordered_map<std::uint32_t, std::pmr::vector<Begin>> stacks_;  // by domain
};

// The started ranges of one process image, by id. Another thread than the one that starts a range
// may end it, and its records may be read first: then the end waits for the start.
template <class Begin, class End>
class StartedRanges {
 public:
  explicit StartedRanges(std::size_t max = kMaxOpenRanges,
                         std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : max_(max), started_(memory), ended_(memory) {}

  // Returns the end of the range if it was read first.
  std::optional<End> start(std::uint64_t id, Begin begin) {
    return pair(ended_, started_, id, std::move(begin));
  }
  // Returns the begin of the range if it has been read.
  std::optional<Begin> end(std::uint64_t id, const End& end) {
    return pair(started_, ended_, id, end);
  }

  bool empty() const { return started_.empty() && ended_.empty(); }
  // Returns how many ends wait for their start.
  std::size_t ends() const { return ended_.size(); }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [id, begin] : started_) visit(begin);
  }

 private:
  template <class Other, class Half, class Read>
  std::optional<Other> pair(std::pmr::map<std::uint64_t, Other>& others,
                            std::pmr::map<std::uint64_t, Half>& waiting, std::uint64_t id,
                            Read&& half) {
    if (const auto found = others.find(id); found != others.end()) {
      std::optional<Other> other(std::move(found->second));
      others.erase(found);
      return other;
    }
    if (waiting.size() >= max_) waiting.erase(waiting.begin());  // a process counts its ids upwards
    waiting.emplace(id, std::forward<Read>(half));
    return std::nullopt;
  }

  std::size_t max_;
  std::pmr::map<std::uint64_t, Begin> started_;
  std::pmr::map<std::uint64_t, End> ended_;
};

}  // namespace prof::spool
