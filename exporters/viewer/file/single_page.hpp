// The page as one file, which shows the data that follow the mark in it.
#pragma once

#include <string>

namespace prof::view {

// Returns the text that bundle.py made. Most of it is in the files of the page, so it is put
// together from them: the program has these texts once.
std::string single_page();

}  // namespace prof::view
