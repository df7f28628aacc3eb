// Shows what prof prints in a pager, as git does.
#pragma once

#include <sys/types.h>

namespace prof::cli {

// While it exists, stdout is the pager's input, and stderr too if both are terminals. Does nothing
// if stdout is not a terminal. The pager is PROF_PAGER, PAGER or "less", which ends at once if
// everything fits the screen; an empty value or "cat" means none.
class Pager {
 public:
  explicit Pager(bool wanted);
  // Waits until the user leaves the pager.
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

 private:
  void start(const char* command);

  int stdout_ = -1;  // the terminal
  int stderr_ = -1;
};

}  // namespace prof::cli
