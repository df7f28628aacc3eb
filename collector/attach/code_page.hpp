// Memory that prof maps in the program for a moment. Its first page has the code of the thread that
// prof starts there, its data, and where the thread that starts it waits to be given its registers
// back. The rest is a stack for the thread that starts it: nothing is written to the program's own
// stacks. While the thread loads the library, fork() waits in a handler whose code is in the page.
// What depends on the architecture is in code_page.cpp and remote_call.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::attach {

enum class PageState : std::uint32_t { kRunning = 0, kFailed = 1, kDone = 2 };

struct CodePage {
  // Written by prof before the thread starts. Addresses in the program.
  std::uint64_t dlopen, dlsym, dlerror, munmap;
  std::uint64_t function;  // 0: dlopen(library), and its function `name`
  std::uint64_t bytes;     // kMappedBytes
  char name[32];
  char argument[128];  // of the function
  char library[1024];
  // Written by the program.
  std::uint32_t state;     // PageState, by the thread that prof starts
  std::uint32_t returned;  // 1: pthread_create has returned...
  std::uint32_t result;    // ...this
  // Written by prof: nobody needs the page any more.
  std::uint32_t released;
  std::int64_t patience[2];  // timespec: how long the thread that started it waits for prof
  std::int64_t pause[2];     // timespec
  std::uint64_t thread;      // pthread_t
  char error[512];           // of dlopen or dlsym
  // Written by prof before the thread starts. Addresses in the program.
  std::uint64_t pthread_detach, register_atfork, cxa_finalize, mprotect;
  std::uint32_t forks_may_run;  // 1: fork() waits no longer for dlopen
  std::uint32_t stays;          // 1: a thread may still be in the handler. Written by prof
};

inline constexpr std::size_t kCodeOffset = 2304;
inline constexpr std::size_t kPageBytes = 4096;
// pthread_create and the program's malloc run on this stack, and the frame of registers is there.
inline constexpr std::size_t kStackBytes = 128 * 1024;
inline constexpr std::size_t kMappedBytes = kPageBytes + kStackBytes;
static_assert(sizeof(CodePage) <= kCodeOffset);

// Offsets of the code in the page.
struct CodePlaces {
  std::size_t thread;  // what the new thread runs; its argument is the page
  std::size_t back;    // where pthread_create returns to
};
CodePlaces code_places();

// The content of the page.
std::vector<std::byte> bytes_of(const CodePage& page);

}  // namespace prof::attach
