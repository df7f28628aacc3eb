// Documents of docs/ that prof carries, so that a reader needs no files beside the command.
#pragma once

#include <string>
#include <string_view>

namespace prof::cli {

// Returns the document with this name of a file: "SKILL.md", "findings.md". Null: prof does not
// carry it.
const char* find_document(std::string_view name);

// Returns the path of the skill file that the package installed. Empty: there is none, as in a
// build.
std::string skill_file();

}  // namespace prof::cli
