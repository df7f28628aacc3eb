// The parameters of a request, decoded, and how they are read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/viewer/answers/outcome.hpp"

namespace prof::view {

class Parameters {
 public:
  Parameters() = default;
  // Of the text after the "?": `a=1&b=x%20y`. If a name occurs twice, the first counts. An escape
  // that is not one stays as it is.
  static Parameters parse(std::string_view query);
  explicit Parameters(std::map<std::string, std::string, std::less<>> values)
      : values_(std::move(values)) {}

  // Empty if the request lacks it; a parameter without a value counts as missing, too.
  std::string_view text(std::string_view name) const;
  bool has(std::string_view name) const { return !text(name).empty(); }

  // The whole number that is the parameter's whole value. 400 if it is missing, or something else.
  Outcome<std::int64_t> integer(std::string_view name) const;
  // The same, and `if_missing`.
  Outcome<std::int64_t> integer(std::string_view name, std::int64_t if_missing) const;
  // The same, and 400 outside of these limits.
  Outcome<std::int64_t> integer_in(std::string_view name, std::int64_t least, std::int64_t most,
                                   std::optional<std::int64_t> if_missing = {}) const;
  // Numbers with commas between them. At most `most` of them, and at least one.
  Outcome<std::vector<std::int64_t>> integers(std::string_view name, std::size_t most) const;
  // One of these words, or the first if it is missing. Returns its index.
  Outcome<std::size_t> word(std::string_view name,
                            const std::vector<std::string_view>& words) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace prof::view
