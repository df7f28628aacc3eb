#include "cli/options/option_set.hpp"

namespace prof::cli {

void OptionSet::define_all() {
  if (define_all_) std::exchange(define_all_, nullptr)();
}

const CLI::Option* OptionSet::find(const std::string& name) {
  if (const CLI::Option* found = app_.get_option_no_throw(name)) return found;
  define_all();
  return app_.get_option_no_throw(name);
}

std::vector<std::string> OptionSet::names() {
  define_all();
  std::vector<std::string> names;
  for (const CLI::Option* option : app_.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace prof::cli
