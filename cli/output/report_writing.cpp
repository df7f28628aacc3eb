#include "cli/output/report_writing.hpp"

#include <signal.h>
#include <unistd.h>

namespace prof::cli {

namespace {

constexpr char kText[] =
    "\nprof: writing the report. Interrupt again to stop and make it later with prof recover.\n";

void on_interrupt(int) { static_cast<void>(!write(STDERR_FILENO, kText, sizeof kText - 1)); }

}  // namespace

ReportWriting::ReportWriting() {
  set(SIGHUP, SIG_IGN);
  set(SIGPIPE, SIG_IGN);
  set(SIGXFSZ, SIG_IGN);
  set(SIGINT, on_interrupt);
}

ReportWriting::~ReportWriting() {
  for (const auto& [signal, action] : before_) sigaction(signal, &action, nullptr);
}

// A signal that is already ignored stays ignored.
void ReportWriting::set(int signal, void (*handler)(int)) {
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(signal, &action, nullptr);
  before_.emplace_back(signal, before);
}

}  // namespace prof::cli
