// Memory that prof maps in the program for a moment. Its first page has the code of the thread that
// prof starts, the data of that thread, and the place where the program's thread that starts it
// waits until prof restores its registers. The rest is a stack for the program's thread: nothing is
// written to the program's stacks. While the new thread loads the library, fork() waits in a
// handler whose code is in the page. What depends on the architecture is in code_page.cpp and
// remote_call.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::attach {

enum class PageState : std::uint32_t { kRunning = 0, kFailed = 1, kDone = 2 };

struct CodePage {
  // prof writes these addresses, which are those in the program, before the thread starts.
  std::uint64_t dlopen, dlsym, dlerror, munmap;
  std::uint64_t function;  // 0: call dlopen(library), and then its function `name`
  std::uint64_t bytes;     // kMappedBytes
  char name[32];
  char argument[128];  // argument of the function
  char library[1024];
  // The program writes these.
  std::uint32_t state;     // PageState, by the thread that prof starts
  std::uint32_t returned;  // 1: pthread_create has returned `result`
  std::uint32_t result;    // of pthread_create
  // prof sets this when nobody needs the page any more.
  std::uint32_t released;
  std::int64_t patience[2];  // timespec: how long the program's thread waits for prof
  std::int64_t pause[2];     // timespec: between two looks at `released`
  std::uint64_t thread;      // pthread_t
  char error[512];           // message of dlopen or dlsym
  // prof writes these addresses, which are those in the program, before the thread starts.
  std::uint64_t pthread_detach, register_atfork, cxa_finalize, mprotect;
  std::uint32_t forks_may_run;  // 1: fork() no longer waits for dlopen
  std::uint32_t stays;          // 1: a thread may still be in the handler. Set by prof
};

inline constexpr std::size_t kCodeOffset = 2304;
inline constexpr std::size_t kPageBytes = 4096;
// Size of the stack on which pthread_create and the program's malloc run. It also holds the signal
// frame with the registers.
inline constexpr std::size_t kStackBytes = 128 * 1024;
inline constexpr std::size_t kMappedBytes = kPageBytes + kStackBytes;
static_assert(sizeof(CodePage) <= kCodeOffset);

// Offsets of the code in the page.
struct CodePlaces {
  std::size_t thread;  // what the new thread runs; its argument is the page
  std::size_t back;    // where pthread_create returns to
};
CodePlaces code_places();

// Returns the content of the page.
std::vector<std::byte> bytes_of(const CodePage& page);

}  // namespace prof::attach
