// The options of a verb, looked up by their names. To define all 80 of `prof profile` takes as long
// as a short program runs (docs/cost.md). So those that most command lines have are defined first,
// and a further group when a name is not among those before it.
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

  // `rest`: each adds further options to `app`. Empty: it has them all.
  explicit OptionSet(const CLI::App& app, Groups rest = {}) : app_(app), rest_(std::move(rest)) {}

  // Null: the verb has no such option. `name`: with its dashes.
  const CLI::Option* find(const std::string& name);

  // The long names of all options, with their dashes.
  std::vector<std::string> names();

 private:
  void define_next();

  const CLI::App& app_;
  Groups rest_;
};

}  // namespace prof::cli
