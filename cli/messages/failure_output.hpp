// Prints the failure that ends prof: as a text for people, or as JSON for programs (--errors=json).
#pragma once

#include <string>

namespace prof::cli {

enum class ErrorFormat { kText, kJson };

// Both hold for the failures that are printed later, also by forked children.
void set_error_format(ErrorFormat format);
void set_failing_verb(const std::string& verb);
ErrorFormat error_format();

// Prints one line on stderr. `code` is a word for programs; empty: it follows from the status. An
// empty message has already been printed for people.
void print_failure(const std::string& message, int status, const char* code);

// Returns the line that print_failure() prints as JSON, without its end. `verb` may be empty.
std::string failure_json(const std::string& message, int status, const char* code,
                         const std::string& verb);

}  // namespace prof::cli
