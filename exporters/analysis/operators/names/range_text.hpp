// Parses the names of the NVTX ranges that PyTorch makes of its operators (emit_nvtx):
// "aten::mm, seq = 5, op_id = 12, sizes = [[2, 3], [3, 4]], input_op_ids = [(3,0), (0,-1)]", and
// those of --pytorch=operators: "aten::mm, sizes = [[2, 3], [3, 4]], arguments = [float32, …]".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace prof::operators {

// The parts of a name. The texts are parts of the name.
struct RangeText {
  std::string_view name;       // "aten::mm"
  std::int64_t sequence = -1;  // joins an operator with its backward pass; -1: none
  std::int64_t op_id = 0;      // 0: none
  std::string_view sizes;      // "[[2, 3], [3, 4]]", or empty
  std::string_view arguments;  // "[float32, float32]", or empty
  std::string_view sources;    // "[(3,0), (0,-1)]", or empty
};
RangeText parse_range_text(std::string_view text);

using Shape = std::vector<std::int64_t>;
// Returns one shape for each argument. An argument that is not a tensor, and a tensor without
// dimensions, have an empty shape. Returns nothing for a text that is not a list of shapes, and for
// a shape with more than kMaxDimensions.
inline constexpr std::size_t kMaxDimensions = 64;
std::optional<std::vector<Shape>> parse_shapes(std::string_view sizes);

// The operator that made an argument, and which of its results it is.
struct TensorSource {
  std::int64_t op_id;  // 0: unknown
  std::int64_t output;
};
// Returns one source for each argument, or nothing for a text that is not a list of sources.
std::vector<TensorSource> parse_sources(std::string_view sources);

}  // namespace prof::operators
