#include "cli/output/options/range_of_option.hpp"

#include <string>

#include "cli/options/option_kinds.hpp"

namespace prof::cli {

void add_range_of_option(CLI::App& app, events::RangeOf& range_of) {
  Choices<events::RangeOf> choices;
  for (const auto& [word, value] : events::kWordsOfRangeOf)
    choices.emplace_back(std::string(word), value);
  add_choice(app, "--range-of", range_of, choices,
             "The NVTX ranges of work in CUDA graphs: those around the launch of the graph (as in "
             "nsys), those in which the work was captured, or both")
      ->type_name("WHICH");
}

}  // namespace prof::cli
