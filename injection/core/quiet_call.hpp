// Calls the slow part of a short inline function. For an ordinary call the compiler keeps live
// values in registers that it has to save first, and the fast part would pay for that. This call
// changes no integer register, so there is nothing to save. Code that uses it is compiled without a
// red zone.
#pragma once

#include "injection/core/machine/machine.hpp"

namespace prof::core {

using machine::call_quietly;

}  // namespace prof::core
