// The shapes of the results of operators, found from the operators that use them as arguments.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exporters/analysis/operators/names/range_text.hpp"
#include "exporters/analysis/operators/operator_ranges.hpp"

namespace prof::operators {

class ResultShapes {
 public:
  // Results of operators are found only if they were asked for before find().
  void want(std::int64_t global_tid, std::int64_t op_id) {
    found_.try_emplace(key(global_tid, op_id));
  }
  void find(const OperatorRanges& ranges);

  // Returns the shape of a result, or null if no operator uses it.
  const Shape* shape(std::int64_t global_tid, std::int64_t op_id, std::int64_t result) const;

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;  // process and id
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (static_cast<std::size_t>(key.first) << 40) ^ static_cast<std::size_t>(key.second);
    }
  };
  void add_uses(const OperatorRanges& ranges, std::int32_t range, std::string_view sources);
  static Key key(std::int64_t global_tid, std::int64_t op_id);

  std::unordered_map<Key, std::vector<std::pair<std::int64_t, Shape>>, Hash> found_;
};

}  // namespace prof::operators
