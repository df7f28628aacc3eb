// Merges names that differ only in numbers: "batch 7" and "batch 8" are "batch #".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace prof::events {

// Returns the name with # in place of each number. A number ends where its word ends: "step7" has a
// number, "conv2d" has none. "0.001" is one number.
std::string without_numbers(std::string_view name);

// Gives names that differ only in numbers the same group. A name that is the only one of its group
// keeps its numbers.
class NumberedNames {
 public:
  // Returns the group of a name. Groups are numbered from 0.
  std::int32_t group(std::string_view name);
  const std::string& text(std::int32_t group) const {
    return texts_[static_cast<std::size_t>(group)];
  }

 private:
  std::unordered_map<std::string, std::int32_t> groups_;  // by the name without numbers
  std::vector<std::string> texts_;
};

}  // namespace prof::events
