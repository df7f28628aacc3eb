#include "exporters/analysis/operators/names/range_text.hpp"

#include <algorithm>
#include <charconv>

namespace prof::operators {

namespace {

constexpr std::string_view kSequenceMark = ", seq = ";
constexpr std::string_view kOpIdMark = ", op_id = ";
constexpr std::string_view kSizesMark = ", sizes = ";
constexpr std::string_view kArgumentsMark = ", arguments = ";
constexpr std::string_view kSourcesMark = ", input_op_ids = ";
constexpr std::string_view kMarkEnd = "= ";  // of all marks

// Reads a text from its beginning.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::int64_t> take_integer() {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
    return value;
  }

 private:
  std::string_view text_;
};

// Returns where the first `mark` begins. Texts have many commas but few equals signs, so this looks
// for the sign.
std::size_t find_mark(std::string_view text, std::string_view mark) {
  const std::size_t before = mark.size() - kMarkEnd.size();
  for (std::size_t at = text.find(kMarkEnd.front()); at != std::string_view::npos;
       at = text.find(kMarkEnd.front(), at + 1))
    if (at >= before && text.substr(at - before).starts_with(mark)) return at - before;
  return std::string_view::npos;
}

// Removes the part that begins with the first `mark`, and returns what follows the mark.
std::string_view cut(std::string_view& text, std::string_view mark) {
  const std::size_t at = find_mark(text, mark);
  if (at == std::string_view::npos) return {};
  const std::string_view part = text.substr(at + mark.size());
  text = text.substr(0, at);
  return part;
}

// Removes a number at the end of the text.
std::int64_t cut_integer(std::string_view& text, std::string_view mark, std::int64_t otherwise) {
  std::string_view rest = text;
  Cursor part(cut(rest, mark));
  const auto value = part.take_integer();
  if (!value || !part.at_end()) return otherwise;
  text = rest;
  return *value;
}

std::optional<Shape> take_shape(Cursor& cursor) {
  Shape shape;
  if (!cursor.take("[")) return std::nullopt;
  if (cursor.take("]")) return shape;
  do {
    const auto size = cursor.take_integer();
    if (!size || *size < 0 || shape.size() == kMaxDimensions) return std::nullopt;
    shape.push_back(*size);
  } while (cursor.take(", "));
  if (!cursor.take("]")) return std::nullopt;
  return shape;
}

}  // namespace

RangeText parse_range_text(std::string_view text) {
  RangeText result;
  result.sizes = cut(text, kSizesMark);
  result.arguments = cut(result.sizes, kArgumentsMark);
  result.sources = cut(result.sizes.empty() ? text : result.sizes, kSourcesMark);
  result.op_id = cut_integer(text, kOpIdMark, 0);
  result.sequence = cut_integer(text, kSequenceMark, -1);
  result.name = text;
  return result;
}

std::optional<std::vector<Shape>> parse_shapes(std::string_view sizes) {
  std::vector<Shape> shapes;
  Cursor cursor(sizes);
  if (!cursor.take("[")) return std::nullopt;
  if (!cursor.take("]")) {
    do {
      auto shape = take_shape(cursor);
      if (!shape) return std::nullopt;
      shapes.push_back(std::move(*shape));
    } while (cursor.take(", "));
    if (!cursor.take("]")) return std::nullopt;
  }
  if (!cursor.at_end()) return std::nullopt;
  return shapes;
}

std::vector<TensorSource> parse_sources(std::string_view sources) {
  std::vector<TensorSource> result;
  Cursor cursor(sources);
  if (!cursor.take("[") || cursor.take("]")) return result;
  do {
    if (!cursor.take("(")) return {};
    const auto op_id = cursor.take_integer();
    if (!op_id || !cursor.take(",")) return {};
    const auto output = cursor.take_integer();
    if (!output || !cursor.take(")")) return {};
    result.push_back({*op_id, *output});
  } while (cursor.take(", "));
  return cursor.take("]") && cursor.at_end() ? result : std::vector<TensorSource>{};
}

}  // namespace prof::operators
