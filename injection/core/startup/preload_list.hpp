// The list of libraries in LD_PRELOAD, as far as it is about prof's.
#pragma once

#include <cstddef>

#include "injection/core/text.hpp"

namespace prof::core {

// Does an LD_PRELOAD list contain all libraries that this session preloads?
bool lists_ours(const char* list);

// Does it contain one of prof's libraries?
bool lists_any_of_ours(const char* list);

// Appends a list. Our library comes first, or the wrappers of other libraries would hide calls from
// it. Then come the libraries that use ours, then `others`, which may be null. Only a library in
// `others` that has to be first, with everything in front of it, comes before ours.
void add_preload(Text& text, const char* others);

// Most bytes that add_preload() appends besides `others`.
std::size_t most_preload_bytes();

// Appends the entries of `list` that are not ours. Returns whether there are any.
bool add_without_ours(Text& text, const char* list);

// Removes ours from a list in place.
void remove_ours(char* list);

}  // namespace prof::core
