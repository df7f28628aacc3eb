// Verbs of nsys that prof does not have.
#pragma once

#include <string>

namespace prof::cli {

struct NsysVerb {
  const char* name;
  int status;           // exit status of prof
  const char* instead;  // what to type instead
};

// Returns null if nsys has no such verb.
const NsysVerb* find_nsys_verb(const std::string& name);

}  // namespace prof::cli
