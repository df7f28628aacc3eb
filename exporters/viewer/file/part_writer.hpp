// Puts data into a page of HTML: compressed, in base64, in script elements that browsers do not
// run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "exporters/formats/output.hpp"

namespace prof::view {

// The maximum size of a part, because browsers limit the length of a text.
inline constexpr std::size_t kMaxPartBytes = 16 << 20;

class PartWriter {
 public:
  explicit PartWriter(const formats::Output& output) : output_(output) {}

  // Writes <script type="text/plain" data-part="NAME">.
  base::Status write(std::string_view name, std::string_view bytes);

 private:
  const formats::Output& output_;
};

// Collects pieces and writes them as parts KIND-0, KIND-1, … A piece is never split.
class PartSeries {
 public:
  PartSeries(PartWriter& writer, std::string kind) : writer_(writer), kind_(std::move(kind)) {}

  base::Status add(std::string_view piece);
  base::Status finish();

 private:
  PartWriter& writer_;
  std::string kind_;
  std::string bytes_;
  int number_ = 0;
};

}  // namespace prof::view
