#include "cli/verbs/verbs.hpp"

namespace prof::cli {

std::vector<std::unique_ptr<Verb>> make_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
#define PROF_MAKE(name) verbs.push_back(make_##name());
  PROF_VERBS(PROF_MAKE)
#undef PROF_MAKE
  return verbs;
}

}  // namespace prof::cli
