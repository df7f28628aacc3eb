// The options of a verb, looked up by their names. To define all 80 of `prof profile` takes as long
// as a short program runs (docs/cost.md). So those that most command lines have are defined first,
// and all of them when a name is not among these.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace prof::cli {

class OptionSet {
 public:
  // `define_all`: replaces the options of `app` by all options. Null: it has them.
  explicit OptionSet(const CLI::App& app, std::function<void()> define_all = nullptr)
      : app_(app), define_all_(std::move(define_all)) {}

  void define_all();

  // Null: the verb has no such option. `name`: with its dashes. Pointers of earlier calls become
  // invalid.
  const CLI::Option* find(const std::string& name);

  // The long names of all options, with their dashes.
  std::vector<std::string> names();

 private:
  const CLI::App& app_;
  std::function<void()> define_all_;
};

}  // namespace prof::cli
