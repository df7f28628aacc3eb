// Options and values of nsys that prof does not have, and what prof does when a command line has
// them. Users copy command lines from guides, so an option that prof lacks does not stop a
// recording. One line says what is missing.
#pragma once

#include <string>
#include <string_view>

namespace prof::cli {

enum class NsysAnswer : unsigned char {
  kNothing,  // prof does that anyway, or the option has no effect
  kNote,     // the text is printed, and the rest is recorded
  kAlias,    // the text is the option of prof that does it; * stands for the value
  kRefusal,  // the text is the reason why prof ends
};

// The kinds of values that can follow the option.
enum class NsysValue : unsigned char { kAny, kSwitch, kNone };

struct NsysOption {
  const char* verbs;  // of prof, separated by blanks
  const char* names;  // "--long" or "-s,--long"
  // The values that this entry is for, separated by commas. Empty: all values that have no entry
  // before this one.
  const char* values;
  NsysAnswer answer;
  const char* text;
  NsysValue takes = NsysValue::kAny;

  std::string long_name() const;
};

std::string in_lower_case(std::string word);

// Returns null if nsys has no such option, or if prof has it. `name` includes its dashes.
const NsysOption* find_nsys_option(std::string_view verb, std::string_view name);

// Returns the entry for a value of that option. A note for all values does not apply to "none" and
// "false", which ask for nothing: for them the entry is kNothing.
NsysOption answer_to(const NsysOption& option, const std::string& value);

// Returns the message about a value that nsys has and prof ignores; null if nsys has no such value.
// Empty: no message is needed.
const char* find_nsys_value(std::string_view name, const std::string& value);

// Returns "--name=value: reason" for a value that find_nsys_value() knows.
std::string note_on_value(const std::string& name, const std::string& value);

}  // namespace prof::cli
