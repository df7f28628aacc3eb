// Edits the list of libraries in LD_PRELOAD.
#pragma once

#include <cstddef>

#include "injection/core/text.hpp"

namespace prof::core {

// True if an LD_PRELOAD list contains all libraries that this session preloads.
bool lists_ours(const char* list);

// True if the list contains at least one of prof's libraries.
bool lists_any_of_ours(const char* list);

// Appends a list. Our library comes first, or the wrappers of other libraries would hide calls from
// it. Then come the libraries that use ours, then `others`, which may be null. If a library in
// `others` has to be the first one, that library and all before it come before ours.
void add_preload(Text& text, const char* others);

// Returns the maximum number of bytes that add_preload() appends besides `others`.
std::size_t most_preload_bytes();

// Appends the entries of `list` that are not ours. Returns whether there are any.
bool add_without_ours(Text& text, const char* list);

// Removes our libraries from a list in place.
void remove_ours(char* list);

}  // namespace prof::core
