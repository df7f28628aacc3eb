#include "common/code/unwind/cfi_table.hpp"

#include <algorithm>
#include <limits>

namespace prof::unwind {
namespace {

// Memory limits for programs that run very different code. A table that exceeds one is cleared.
constexpr std::size_t kMaxRows = 2'000'000;
constexpr std::size_t kMaxRuleSets = 200'000;

template <class T>
void append_number(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Returns a key of the row. It is composed field by field, because padding bytes are undefined.
std::string key_of(const FrameRow& row) {
  std::string key;
  const FrameRules& rules = row.rules;
  append_number(key, rules.cfa_value);
  append_number(key, rules.cfa_register);
  append_number(key, rules.cfa_length);
  key += {static_cast<char>(rules.is_signal_frame), static_cast<char>(rules.is_outermost),
          static_cast<char>(rules.is_debug_frame)};
  for (const RegisterRule& each : row.registers) {
    append_number(key, each.index);
    append_number(key, each.place);
    append_number(key, each.length);
    append_number(key, each.value);
  }
  for (const Operation& each : row.operations) {
    append_number(key, each.code);
    append_number(key, each.first);
    append_number(key, each.second);
  }
  return key;
}

}  // namespace

CfiTable::CfiTable(const FrameSections& sections, std::uint64_t base)
    : source_(sections), source_size_(0), base_(base) {
  source_size_ = source_.memory();
  clear();
}

void CfiTable::clear() {
  starts_.clear();
  rows_.clear();
  rules_.assign(1, FrameRules{});  // index 0: nothing is known
  registers_.assign(1, RegisterRule{});
  operations_.assign(1, Operation{});
  known_rules_.clear();
}

const FrameRules* CfiTable::find(std::uint64_t address) {
  if (address < base_ || address - base_ >= std::numeric_limits<std::uint32_t>::max())
    return rules_.data();
  const auto at = static_cast<std::uint32_t>(address - base_);
  const auto above = std::upper_bound(starts_.begin(), starts_.end(), at);
  const auto position = static_cast<std::size_t>(above - starts_.begin());
  if (position > 0 && at < rows_[position - 1].end) return &rules_[rows_[position - 1].rules];
  return add(at, position);
}

const FrameRules* CfiTable::add(std::uint32_t at, std::size_t position) {
  if (rows_.size() >= kMaxRows || rules_.size() >= kMaxRuleSets) {
    clear();
    position = 0;
  }
  Row row{at + 1, 0};
  if (auto found = source_.find(base_ + at)) {
    // If descriptions overlap, the row ends at the next one.
    const std::uint64_t limit =
        position < starts_.size() ? starts_[position] : std::numeric_limits<std::uint32_t>::max();
    row.end = static_cast<std::uint32_t>(std::min(limit, found->end - base_));
    row.rules = intern(*found);
  }
  // The row starts where it was first needed and grows downwards, because libdw 0.188 reports a
  // start that is too low after DW_CFA_restore_state.
  const bool continues = position < starts_.size() && starts_[position] == row.end &&
                         rows_[position].rules == row.rules;
  if (continues) {
    starts_[position] = at;
  } else {
    starts_.insert(starts_.begin() + static_cast<std::ptrdiff_t>(position), at);
    rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(position), row);
  }
  return &rules_[row.rules];
}

std::uint32_t CfiTable::intern(FrameRow& row) {
  const auto [known, is_new] =
      known_rules_.try_emplace(key_of(row), static_cast<std::uint32_t>(rules_.size()));
  if (!is_new) return known->second;
  const auto first_operation = static_cast<std::int32_t>(operations_.size());
  FrameRules rules = row.rules;
  if (rules.cfa_length > 0) rules.cfa_value += first_operation;
  rules.first_rule = static_cast<std::uint32_t>(registers_.size());
  rules.rule_count = static_cast<std::uint8_t>(row.registers.size());
  for (RegisterRule& each : row.registers) {
    if (each.length > 0) each.value += first_operation;
    registers_.push_back(each);
  }
  operations_.insert(operations_.end(), row.operations.begin(), row.operations.end());
  rules_.push_back(rules);
  return known->second;
}

std::size_t CfiTable::memory() const {
  std::size_t keys = 0;
  for (const auto& [key, index] : known_rules_) keys += key.capacity() + 64;
  return starts_.capacity() * sizeof starts_[0] + rows_.capacity() * sizeof rows_[0] +
         rules_.capacity() * sizeof rules_[0] + registers_.capacity() * sizeof registers_[0] +
         operations_.capacity() * sizeof operations_[0] + keys + source_size_;
}

}  // namespace prof::unwind
