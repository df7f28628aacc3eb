#include "cli/options/option_set.hpp"

namespace prof::cli {

void OptionSet::define_next() {
  rest_.front()();
  rest_.pop_front();
}

const CLI::Option* OptionSet::find(const std::string& name) {
  for (;;) {
    if (const CLI::Option* found = app_.get_option_no_throw(name)) return found;
    if (rest_.empty()) return nullptr;
    define_next();
  }
}

std::vector<std::string> OptionSet::names() {
  while (!rest_.empty()) define_next();
  std::vector<std::string> names;
  for (const CLI::Option* option : app_.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace prof::cli
