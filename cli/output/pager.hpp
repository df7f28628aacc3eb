// Shows what prof prints in a pager, as git does.
#pragma once

#include <sys/types.h>

namespace prof::cli {

// While this object exists, stdout is the pager's input, and stderr too if both are terminals. Has
// no effect if stdout is not a terminal. The pager is PROF_PAGER, PAGER or "less", which ends at
// once if everything fits the screen. An empty value or "cat" means that there is no pager.
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
