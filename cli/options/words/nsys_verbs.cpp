#include "cli/options/words/nsys_verbs.hpp"

#include "cli/messages/failure.hpp"

namespace prof::cli {

namespace {

constexpr NsysVerb kVerbs[] = {
    {"finalize", 0, "prof stop has written the report, so nothing is left to do"},
    {"nsys-ui", kBadUsage, "type: prof view REPORT"},
    {"nvprof", kBadUsage, "type: prof profile PROGRAM, and then: prof stats REPORT"},
    {"plugins", kBadUsage, "type: prof profile --enable=help"},
    {"service", kBadUsage, "prof needs none; prof sessions list shows what runs"},
    {"ui", kBadUsage, "type: prof view REPORT"},
    {"version", kBadUsage, "type: prof --version"},
};

}  // namespace

const NsysVerb* find_nsys_verb(const std::string& name) {
  for (const NsysVerb& each : kVerbs)
    if (name == each.name) return &each;
  return nullptr;
}

}  // namespace prof::cli
