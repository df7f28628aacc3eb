// The values of a payload by their names, as a schema describes them, and their JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prof::ingest {

struct PayloadValue {
  enum class Kind { kNone, kSigned, kUnsigned, kReal, kText, kList, kObject };

  std::string name;
  Kind kind = Kind::kNone;
  std::uint64_t bits = 0;  // value of kSigned and kUnsigned
  double real = 0;
  std::string text;
  std::vector<PayloadValue> children;
  std::uint64_t flags = 0;  // flags of the schema's entry
  std::uint64_t type = 0;
  std::uint64_t schema = 0;  // schema that the entry belongs to; 0: none
  std::uint32_t entry = 0;   // index of the entry

  double as_real() const;
  static PayloadValue of_text(std::string text);
};
using ValueKind = PayloadValue::Kind;

// Returns a JSON object of the values. Names that occur twice get a number.
std::string to_json(const std::vector<PayloadValue>& values);

// Returns the first object with the members of `more` added. Both are results of to_json().
std::string merge_json(std::string_view first, std::string_view more);

}  // namespace prof::ingest
