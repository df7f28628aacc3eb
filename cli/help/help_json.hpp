// prof help --json: what prof understands, for programs.
#pragma once

#include <string>

namespace prof::cli {

// Returns one JSON object with the verbs, their options as the parser knows them, statistics, rules
// and findings. `verb`: only this one, with its options; empty: all. Throws Failure if the verb is
// unknown.
std::string help_json(const std::string& verb);

}  // namespace prof::cli
