// The words of calls. CUPTI gives a call one word, from its entry to its exit, which all of several
// subscribers share (seen with CUPTI 13.5). So a user that must not disturb others has a word here.
#pragma once

#include <cupti.h>

#include <cstdint>

namespace prof::cuda {

// A call of the calling thread, for one user: our tracer is 0, clients have the next numbers.
struct CallKey {
  unsigned user;
  CUpti_CallbackDomain domain;
  std::uint32_t correlation;
};

// Returns the word of a call that is entered, which is 0. Null if there is none left.
std::uint64_t* begin_word(const CallKey& call);
// Returns the word's value at the exit of the call, and frees the word. 0 if the call had none.
std::uint64_t end_word(const CallKey& call);

}  // namespace prof::cuda
