// The verbs, one file each: NAME.cpp in this folder defines make_NAME().
#pragma once

#include <memory>
#include <vector>

#include "cli/verbs/verb.hpp"

// The verbs in the order in which `prof --help` lists them.
#define PROF_VERBS(VERB) \
  VERB(profile)          \
  VERB(launch)           \
  VERB(kernel)           \
  VERB(attach)           \
  VERB(start)            \
  VERB(stop)             \
  VERB(cancel)           \
  VERB(snapshot)         \
  VERB(shutdown)         \
  VERB(sessions)         \
  VERB(info)             \
  VERB(stats)            \
  VERB(analyze)          \
  VERB(facts)            \
  VERB(check)            \
  VERB(query)            \
  VERB(mcp)              \
  VERB(skill)            \
  VERB(view)             \
  VERB(diff)             \
  VERB(replay_op)        \
  VERB(recipe)           \
  VERB(upload)           \
  VERB(export)           \
  VERB(status)           \
  VERB(monitor)          \
  VERB(stack)            \
  VERB(top)              \
  VERB(recover)          \
  VERB(completion)

namespace prof::cli {

#define PROF_DECLARE(name) std::unique_ptr<Verb> make_##name();
PROF_VERBS(PROF_DECLARE)
#undef PROF_DECLARE

std::vector<std::unique_ptr<Verb>> make_verbs();

}  // namespace prof::cli
