// Classifies calls by their purpose, as far as the findings about waiting need it. wait_of() in
// activity.hpp tells what a blocked thread waits for.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::analyze {

enum class CallPurpose : std::uint8_t {
  kTransfer,  // reads or writes a file, a pipe or a socket
  kBuffered,  // reads or writes through a buffer of the C library
  kFlush,     // waits until data is on the disk
  kPoll,      // waits for one of several descriptors
  kSleep,     // waits for time to pass
  kYield,     // lets other threads run
  kAccept,    // waits for a client
  kMap,       // changes the memory maps
  kQuick,     // asks or tells the kernel something and does not wait
  kOther
};

constexpr bool is_transfer(CallPurpose purpose) {
  return purpose == CallPurpose::kTransfer || purpose == CallPurpose::kBuffered;
}

// Returns the purpose of a function. Names may have the additions of libc: "__read_chk" and
// "pread64".
CallPurpose purpose_of(std::string_view function);

}  // namespace prof::analyze
