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

// The word in one of the two callbacks of a call. It is 0 at the entry; at the exit it has the
// value that the entry left, and it is free for other calls afterwards. If no word was left at the
// entry, the value is lost, and 0 at the exit.
class CallWord {
 public:
  CallWord(const CallKey& call, CUpti_ApiCallbackSite site);
  CallWord(const CallWord&) = delete;

  std::uint64_t& operator*() { return *place_; }

 private:
  std::uint64_t value_ = 0;
  std::uint64_t* place_ = &value_;
};

}  // namespace prof::cuda
