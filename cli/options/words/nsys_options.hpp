// Options and values of nsys that prof does not have: what prof does when a command line has them.
// Command lines are copied from guides, so what prof cannot record does not stop a recording. One
// line says what is missing.
#pragma once

#include <string>
#include <string_view>

namespace prof::cli {

enum class NsysAnswer : unsigned char {
  kNothing,  // prof does that anyway, or there is nothing to do
  kNote,     // the text is printed, and the rest is recorded
  kAlias,    // the text is the option of prof that does it; * stands for the value
  kRefusal,  // the text is why prof ends
};

// What can follow the option.
enum class NsysValue : unsigned char { kAny, kSwitch, kNone };

struct NsysOption {
  const char* verbs;  // of prof, separated by blanks
  const char* names;  // "--long" or "-s,--long"
  // The values that this entry is about, separated by commas; empty: all that have no entry before.
  const char* values;
  NsysAnswer answer;
  const char* text;
  NsysValue takes = NsysValue::kAny;

  std::string long_name() const;
};

std::string in_lower_case(std::string word);

// Null if nsys has no such option, or prof has it. `name`: with its dashes.
const NsysOption* find_nsys_option(std::string_view verb, std::string_view name);

// The entry for a value of that option. A note of all values is not for "none" and "false", which
// ask for nothing: then the answer is kNothing.
NsysOption answer_to(const NsysOption& option, const std::string& value);

// What prof says about a value of nsys that an option of prof has no function for, or null if nsys
// has no such value. Empty: nothing.
const char* find_nsys_value(std::string_view name, const std::string& value);

// "--name=value: why"; for a value that find_nsys_value() knows.
std::string note_on_value(const std::string& name, const std::string& value);

}  // namespace prof::cli
