#include "cli/verbs/verbs.hpp"

namespace prof::cli {

std::vector<std::unique_ptr<Verb>> make_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(make_profile());
  verbs.push_back(make_launch());
  verbs.push_back(make_attach());
  verbs.push_back(make_start());
  verbs.push_back(make_stop());
  verbs.push_back(make_cancel());
  verbs.push_back(make_snapshot());
  verbs.push_back(make_shutdown());
  verbs.push_back(make_sessions());
  verbs.push_back(make_info());
  verbs.push_back(make_stats());
  verbs.push_back(make_analyze());
  verbs.push_back(make_view());
  verbs.push_back(make_diff());
  verbs.push_back(make_export());
  verbs.push_back(make_status());
  verbs.push_back(make_monitor());
  verbs.push_back(make_stack());
  verbs.push_back(make_top());
  verbs.push_back(make_recover());
  verbs.push_back(make_completion());
  return verbs;
}

}  // namespace prof::cli
