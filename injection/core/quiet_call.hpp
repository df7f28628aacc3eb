// Calls for the slow part of a short inline function. The compiler keeps what lives across a call
// in registers that it has to save first, and the fast part would pay for that. This call changes
// no integer register, so there is nothing to save. Code that uses it is compiled without a red
// zone.
#pragma once

namespace prof::core {

// Calls the function that %rax points to. Defined in foreign_threads.cpp; it has no C++ interface.
extern "C" void prof_call_quietly();

[[gnu::always_inline]] inline bool call_quietly(bool (*function)()) {
  bool result;
  asm volatile("call prof_call_quietly"
               : "=a"(result)
               : "a"(function)
               : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                 "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  return result;
}

}  // namespace prof::core
