// Parses the arguments in the names of ranges of --pytorch=operators:
// "[float32, float32 [1, 128], 3, [1, 1], True, None]".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace prof::operators {

// The texts are parts of the list.
struct Argument {
  std::string_view type;   // of a tensor: "float32", or "tensor" if it is unknown; else empty
  std::string_view value;  // of a tensor its strides if they are unusual; else "3", "None", "?"

  bool is_tensor() const { return !type.empty(); }
  bool is_list() const { return value.starts_with('['); }
};
// Returns nothing for a text that is not such a list.
std::vector<Argument> parse_arguments(std::string_view list);

// Returns the numbers of "[1, -1]", or the one of "3".
std::optional<std::vector<std::int64_t>> parse_integers(std::string_view value);
// Returns the flags of "[True, False]", or the one of "True".
std::optional<std::vector<bool>> parse_flags(std::string_view value);

}  // namespace prof::operators
