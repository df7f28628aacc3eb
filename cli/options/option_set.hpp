// The options of a verb, looked up by their names. Defining all 80 options of `prof profile` takes
// as long as a short program runs (docs/cost.md). So the options that most command lines have are
// defined first. The next group is defined when a name is not in the groups before it.
#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace prof::cli {

class OptionSet {
 public:
  using Groups = std::deque<std::function<void()>>;

  // Each function of `rest` adds further options to `app`. If `rest` is empty, `app` has all
  // options.
  explicit OptionSet(const CLI::App& app, Groups rest = {}) : app_(app), rest_(std::move(rest)) {}

  // Returns the option, or null if the verb has no such option. `name` includes its dashes.
  const CLI::Option* find(const std::string& name);

  // Returns the long names of all options, with their dashes.
  std::vector<std::string> names();

 private:
  void define_next();

  const CLI::App& app_;
  Groups rest_;
};

}  // namespace prof::cli
