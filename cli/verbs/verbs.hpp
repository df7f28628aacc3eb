// The verbs, one file each.
#pragma once

#include <memory>

#include "cli/verbs/verb.hpp"

namespace prof::cli {

std::unique_ptr<Verb> make_profile();
std::unique_ptr<Verb> make_launch();
std::unique_ptr<Verb> make_attach();
std::unique_ptr<Verb> make_start();
std::unique_ptr<Verb> make_stop();
std::unique_ptr<Verb> make_cancel();
std::unique_ptr<Verb> make_snapshot();
std::unique_ptr<Verb> make_shutdown();
std::unique_ptr<Verb> make_sessions();
std::unique_ptr<Verb> make_stats();
std::unique_ptr<Verb> make_info();
std::unique_ptr<Verb> make_analyze();
std::unique_ptr<Verb> make_view();
std::unique_ptr<Verb> make_diff();
std::unique_ptr<Verb> make_export();
std::unique_ptr<Verb> make_status();
std::unique_ptr<Verb> make_monitor();
std::unique_ptr<Verb> make_stack();
std::unique_ptr<Verb> make_top();
std::unique_ptr<Verb> make_recover();
std::unique_ptr<Verb> make_completion();

// Returns all verbs, in the order in which `prof --help` lists them.
std::vector<std::unique_ptr<Verb>> make_verbs();

}  // namespace prof::cli
