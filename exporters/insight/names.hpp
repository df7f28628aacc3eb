// Names as they are compared: ranges and calls that differ in a number only are of one kind.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace prof::insight {

// "step 12" and "step 13" as "step #".
std::string without_numbers(std::string_view name);

// Whether it has one of the words in it, in upper or lower case. The words are in lower case.
bool mentions(std::string_view name, std::initializer_list<std::string_view> words);

}  // namespace prof::insight
