#include "injection/core/condition_watch.hpp"

namespace prof::core {

constinit ConditionWatch g_condition_watch{};

}  // namespace prof::core
