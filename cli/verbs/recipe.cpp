// prof recipe: makes tables of many reports. The recipes are in the Python package.
#include <string>
#include <vector>

#include "cli/export/python_package.hpp"
#include "cli/messages/failure.hpp"
#include "cli/verbs/verbs.hpp"
#include "common/base/proc_file.hpp"

namespace prof::cli {

namespace {

class Recipe final : public Verb {
 public:
  const char* name() const override { return "recipe"; }
  const char* summary() const override { return "Make tables of many reports"; }
  bool takes_command() const override { return true; }

  void define(CLI::App& app) override {
    app.add_flag("--list", list_, "List the recipes");
    app.add_flag("-q,--quiet", quiet_, "Print only errors");
    app.footer(
        "After the name of a recipe come its options: prof recipe NAME --help shows them.\n"
        "Recipes are Python: they need python3 with pandas and pyarrow.\n"
        "Examples:\n"
        "  prof recipe cuda_gpu_kern_sum --input run/ --csv\n"
        "  prof recipe nvtx_pace --name step --input rank_0.db rank_1.db --output pace\n"
        "  PROF_RECIPE_PATH=~/recipes prof recipe my_recipe --input run/ --mode none");
  }

  int run(const std::vector<std::string>& command) override {
    if (command.empty() && !list_)
      throw Failure("no recipe given (prof recipe --list lists them)", kBadUsage);
    std::vector<std::string> words = {"--prof=" + base::own_program().string()};
    if (quiet_) words.emplace_back("--quiet");
    if (list_) words.emplace_back("--list");
    words.insert(words.end(), command.begin(), command.end());
    become_package("prof recipe", "prof_report.recipes", words);
  }

 private:
  bool list_ = false;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_recipe() { return std::make_unique<Recipe>(); }

}  // namespace prof::cli
