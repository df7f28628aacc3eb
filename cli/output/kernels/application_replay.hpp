// prof kernel --replay=application: runs the program again for each further pass.
#pragma once

#include <string>

#include "collector/session/options/session_options.hpp"
#include "common/base/held/private_folder.hpp"

namespace prof::cli {

class ApplicationReplay {
 public:
  // Creates the folder for what a run leaves to the next one.
  ApplicationReplay();

  // Returns the plan of a run, from 0. `plan`: that of all runs.
  std::string plan_of_run(const std::string& plan, std::int64_t run) const;

  // Makes the passes after the first run's and adds them to its report. Stops if a run does not end
  // with 0: what needs the passes that are missing has no values. `status`: of the first run.
  void make_further_passes(session::SessionOptions options, const std::string& plan,
                           const std::string& report, int status) const;

 private:
  bool make_pass(session::SessionOptions& options, const std::string& report, std::int64_t run,
                 std::int64_t runs) const;

  base::PrivateFolder folder_;
};

}  // namespace prof::cli
