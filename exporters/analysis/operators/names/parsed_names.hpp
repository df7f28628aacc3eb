// What the names of the ranges of a report say. Each name is parsed once.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exporters/analysis/events/nvtx/range_tree.hpp"
#include "exporters/analysis/operators/names/range_kinds.hpp"

namespace prof::operators {

struct ParsedName {
  RangeKind kind = RangeKind::kOther;
  bool is_parsed = false;
  // Numbers for ParsedNames::text(). Equal texts have equal numbers.
  std::int32_t name = 0;       // as users know it: "aten::mm"
  std::int32_t sizes = 0;      // "[[2, 3], [3, 4]]"
  std::int32_t arguments = 0;  // "[float32, float32]"; the text may be empty
  // Where the sources of the arguments begin in the range's name. 0: there are none.
  std::uint32_t sources = 0;
  std::int64_t sequence = -1;  // -1: none
  std::int64_t op_id = 0;      // 0: none
};

class ParsedNames {
 public:
  // `count` is the number of names.
  explicit ParsedNames(std::size_t count) : names_(count) {}

  // Parses all names, so that of() only reads.
  void parse_all(const events::RangeTree& tree);
  // `number` is that of a name in the tree, which has to outlive the texts.
  const ParsedName& of(const events::RangeTree& tree, std::int32_t number) {
    ParsedName& name = names_[static_cast<std::size_t>(number)];
    if (!name.is_parsed) name = parse(tree.name_at(number));
    return name;
  }
  std::string_view text(std::int32_t number) const {
    return texts_[static_cast<std::size_t>(number)];
  }
  std::size_t text_count() const { return texts_.size(); }

 private:
  ParsedName parse(std::string_view name);
  std::int32_t number_of(std::string_view text);

  std::vector<ParsedName> names_;  // by number of the name
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, std::int32_t> numbers_;
};

}  // namespace prof::operators
