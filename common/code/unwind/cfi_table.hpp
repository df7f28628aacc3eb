// A cache of a module's frame rules. It asks libdw once for each run of instructions with the same
// rules. Later look-ups are a binary search over 4-byte addresses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/code/unwind/cfi_source.hpp"

namespace prof::unwind {

// Only one thread may use an object at a time.
class CfiTable {
 public:
  // `base` is the lowest linked address that will be looked up.
  CfiTable(const FrameSections& sections, std::uint64_t base);

  // Returns the rules at an address, never null. If they are unknown, is_usable is false. Valid
  // until the next call.
  const FrameRules* find(std::uint64_t address);
  std::span<const RegisterRule> registers(const FrameRules& rules) const {
    return {&registers_[rules.first_rule], rules.rule_count};
  }
  std::span<const Operation> operations(std::int32_t first, std::uint8_t length) const {
    return {&operations_[static_cast<std::size_t>(first)], length};
  }

  std::size_t row_count() const { return starts_.size(); }
  std::size_t rule_sets() const { return rules_.size(); }
  std::size_t memory() const;

 private:
  struct Row {
    std::uint32_t end = 0;
    std::uint32_t rules = 0;
  };
  const FrameRules* add(std::uint32_t at, std::size_t position);
  std::uint32_t intern(FrameRow& row);
  void clear();

  CfiSource source_;
  std::size_t source_size_;
  std::uint64_t base_;
  // The first address of each run of instructions, relative to base_. Sorted and without overlaps.
  std::vector<std::uint32_t> starts_;
  std::vector<Row> rows_;
  // Each different set of rules is stored once: even a large library has only some hundreds.
  std::vector<FrameRules> rules_;
  std::vector<RegisterRule> registers_;
  std::vector<Operation> operations_;
  std::unordered_map<std::string, std::uint32_t>
      known_rules_;  // index in rules_, by the bytes of the rules
};

}  // namespace prof::unwind
