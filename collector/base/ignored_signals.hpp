// Signals by which the kernel would end us for a write that it refused: with them ignored, the
// write fails instead, and we can say so.
#pragma once

#include <signal.h>

namespace prof::base {

class IgnoredSignals {
 public:
  IgnoredSignals() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    for (int i = 0; i < 2; ++i) sigaction(kSignals[i], &ignore, &before_[i]);
  }
  ~IgnoredSignals() {
    for (int i = 0; i < 2; ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  IgnoredSignals(const IgnoredSignals&) = delete;
  IgnoredSignals& operator=(const IgnoredSignals&) = delete;

 private:
  // A reader of our messages that has gone (`prof ... 2>&1 | head`), and a limit on the size of
  // files.
  static constexpr int kSignals[2] = {SIGPIPE, SIGXFSZ};
  struct sigaction before_[2]{};
};

}  // namespace prof::base
