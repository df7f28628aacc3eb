// Decodes and reads the parameters of a request.
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
  // Parses the text after the "?": `a=1&b=x%20y`. If a name occurs twice, the first value counts.
  // An invalid escape stays unchanged.
  static Parameters parse(std::string_view query);
  explicit Parameters(std::map<std::string, std::string, std::less<>> values)
      : values_(std::move(values)) {}

  // Returns the value, or an empty text if the request lacks the parameter. A parameter without a
  // value counts as missing.
  std::string_view text(std::string_view name) const;
  bool has(std::string_view name) const { return !text(name).empty(); }

  // Returns the value if it is a whole number. Fails with 400 if it is missing or something else.
  Outcome<std::int64_t> integer(std::string_view name) const;
  // Returns the value, or `if_missing` if the request lacks the parameter.
  Outcome<std::int64_t> integer(std::string_view name, std::int64_t if_missing) const;
  // Returns the value like integer(). Fails with 400 outside of these limits.
  Outcome<std::int64_t> integer_in(std::string_view name, std::int64_t least, std::int64_t most,
                                   std::optional<std::int64_t> if_missing = {}) const;
  // Returns numbers with commas between them: at least one, and at most `most`.
  Outcome<std::vector<std::int64_t>> integers(std::string_view name, std::size_t most) const;
  // Returns the index of the value among these words, or of the first word if the parameter is
  // missing.
  Outcome<std::size_t> word(std::string_view name,
                            const std::vector<std::string_view>& words) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace prof::view
