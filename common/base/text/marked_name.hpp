// Names from a report inside sentences. A name can read like an order to a model or a script, so
// outputs for programs keep names apart from sentences. Code that makes a sentence marks the names
// in it. Outputs for people remove the marks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prof::base {

// Returns the name between marks. `kind` says what has the name: "kernel". Marks inside of the name
// are removed.
std::string mark_name(std::string_view kind, std::string_view name);

// Returns the sentence with its names as plain text.
std::string without_marks(std::string_view sentence);

struct KnownName {
  std::string kind;
  std::string text;
};

// Takes names out of sentences.
class NameList {
 public:
  // Returns the sentence with a placeholder for each marked name: "{n1}" for the first name of the
  // list. Names that are equal get the same placeholder.
  std::string take_out(std::string_view sentence);
  // Returns the number of the name, from 1 on: 1 is "n1".
  std::size_t number_of(std::string_view kind, std::string_view name);
  const std::vector<KnownName>& names() const { return names_; }

 private:
  std::vector<KnownName> names_;
};

}  // namespace prof::base
