// Compares names of ranges and calls. Names that differ only in a number count as equal.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace prof::insight {

// Replaces numbers by #: "step 12" and "step 13" become "step #".
std::string without_numbers(std::string_view name);

// Removes what follows the name of an operator in a range of PyTorch: "aten::mm, sizes = [[2, 3]]"
// becomes "aten::mm".
std::string_view without_arguments(std::string_view name);

// True if the name contains one of the words, ignoring case. The words must be in lower case.
bool mentions(std::string_view name, std::initializer_list<std::string_view> words);

// True if a range of this name loads data: "dataloader", "next batch".
bool is_data_loading_name(std::string_view range);

// True if a range of this name is a collection of garbage: "gc", "Python GC:Garbage collection".
bool is_garbage_collection_name(std::string_view range);

}  // namespace prof::insight
