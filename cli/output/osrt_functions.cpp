#include "cli/output/osrt_functions.hpp"

#include <algorithm>

namespace prof::cli {

namespace {

struct Function {
  const char* name;
  const char* group;
};

constexpr Function kFunctions[] = {
#define OSRT(name, ret, params, args, category, flags, version) {#name, #category},
#define OSRT_ALIAS(symbol, name, ret, params, args, flags)
#define OSRT_VERSION(id, name, ret, params, args, flags, version)
#define PROCESS_FUNCTION(name, category) {#name, #category},
#include "common/wire/functions/osrt.def"
#include "common/wire/functions/process.def"
#undef OSRT
#undef OSRT_ALIAS
#undef OSRT_VERSION
#undef PROCESS_FUNCTION
};

}  // namespace

std::vector<FunctionGroup> osrt_functions() {
  std::vector<FunctionGroup> groups{
#define OSRT_CATEGORY(name, title) {#name, title, {}},
#include "common/wire/functions/categories.def"
#undef OSRT_CATEGORY
  };
  for (auto& group : groups) {
    for (const auto& function : kFunctions)
      if (group.name == function.group) group.functions.emplace_back(function.name);
    std::ranges::sort(group.functions);
  }
  return groups;
}

}  // namespace prof::cli
