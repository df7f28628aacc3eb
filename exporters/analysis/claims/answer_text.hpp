// Numbers with units in a text that somebody wrote about a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prof::claims {

struct Sentence {
  std::size_t line;  // where it begins, from 1 on
  std::string text;
};

// Returns the sentences of a text in Markdown: of paragraphs, items and rows of tables. Blocks of
// code are left out.
std::vector<Sentence> sentences_of(std::string_view text);

enum class Measure : std::uint8_t { kTime, kBytes, kShare, kCount };

struct WrittenNumber {
  enum class Bound : std::uint8_t { kEqual, kAtLeast, kAtMost };
  std::size_t begin;  // bytes of the sentence, with the unit
  std::size_t end;
  Measure measure;
  double low;  // the numbers that are written like this, in ns, bytes, parts of 1 or as they are
  double high;
  Bound bound = Bound::kEqual;
  std::string quantity = {};  // "median", as the words around say; empty: they do not say
  bool is_loose = false;      // it may be a moment or a wish: "at 3 s", "would save 3 ms"
};

std::vector<WrittenNumber> numbers_of(std::string_view sentence);

}  // namespace prof::claims
