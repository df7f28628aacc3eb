// Numbers the names of slices.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "exporters/analysis/events/call_chains/numbering.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::formats {

// Numbers names. Memory grows with the number of different names.
class SliceNames {
 public:
  // `unknown` is the name for unknown ids.
  explicit SliceNames(const report::ReportReader& reader, const char* unknown = "[Unknown]")
      : strings_(reader, unknown) {}

  // Returns the number of the name with this id of StringIds. A version that CUPTI appended is
  // removed.
  std::uint32_t of_id(std::int64_t id) {
    const std::uint32_t index = ids_.of(id);
    if (index == of_ids_.size()) of_ids_.push_back(add_id(id));
    return of_ids_[index];
  }
  std::uint32_t of_text(std::string_view text);

  // The reference is valid as long as this object exists.
  const std::string& text(std::uint32_t name) const { return texts_[name]; }

 private:
  struct Hash {
    std::uint64_t operator()(std::int64_t id) const { return static_cast<std::uint64_t>(id); }
  };

  std::uint32_t add_id(std::int64_t id);

  events::Strings strings_;
  events::Numbering<std::int64_t, Hash> ids_;
  std::vector<std::uint32_t> of_ids_;  // by number in ids_
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;  // keys are views of texts_
};

}  // namespace prof::formats
