#include "cli/output/report_writing.hpp"

#include <unistd.h>

#include <atomic>
#include <cstring>

#include "collector/spool/left_over.hpp"

namespace prof::cli {

namespace {

// The handlers read these pointers.
std::atomic<const char*> g_recording;
std::atomic<const char*> g_temporary;
std::atomic<const char*> g_on_interrupt;
std::atomic<const char*> g_on_end;
std::atomic<bool> g_finished;

void print(const char* text) {
  if (text != nullptr) static_cast<void>(!write(STDERR_FILENO, text, std::strlen(text)));
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

void on_end(int signal) {
  if (const char* path = g_temporary.load()) unlink(path);
  const char* recording = g_recording.load();
  if (g_finished && recording != nullptr)
    unlink(recording);
  else if (recording != nullptr && access(recording, F_OK) == 0)
    print(g_on_end);
  // The raised signal ends prof after the handler. SA_RESETHAND would not do: with it the kernel
  // restores the default before it blocks the signal, and a second signal at that moment would end
  // prof at once.
  handle(signal, SIG_DFL);
  raise(signal);
}

void on_interrupt(int signal) {
  print(g_on_interrupt);
  handle(signal, on_end);
}

}  // namespace

ReportWriting::ReportWriting(const std::string& recording,
                             std::unique_ptr<session::Signals> signals)
    : recording_(recording) {
  const std::string command = spool::recovery_command(recording);
  on_interrupt_ =
      "\nprof: writing the report. Interrupt again to stop and make it later with: " + command +
      "\n";
  on_end_ = "\nprof: stopped. The recording is kept. To make the report: " + command + "\n";
  g_finished = false;
  g_temporary = nullptr;
  g_recording = recording_.c_str();
  g_on_interrupt = on_interrupt_.c_str();
  g_on_end = on_end_.c_str();
  set(SIGHUP, SIG_IGN);
  set(SIGINT, on_interrupt);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (signal == SIGHUP || signal == SIGINT) continue;
    const auto use = session::use_of(signal);
    if (use == session::SignalUse::kEnds) set(signal, on_end);
    // This includes SIGUSR1, which asks a flight recorder for a report and comes too late.
    if (use == session::SignalUse::kPassedOver || use == session::SignalUse::kEndsRecording)
      set(signal, SIG_IGN);
  }
  signals.reset();  // only now, so that no signal ends prof without a message
  set(SIGPIPE, SIG_IGN);
  set(SIGXFSZ, SIG_IGN);
}

ReportWriting::~ReportWriting() {
  for (const auto& [signal, action] : before_) sigaction(signal, &action, nullptr);
  for (auto* text : {&g_recording, &g_temporary, &g_on_interrupt, &g_on_end}) *text = nullptr;
}

void ReportWriting::begin(const std::string& temporary) {
  g_temporary = nullptr;
  temporary_ = temporary;
  g_temporary = temporary_.c_str();
}

void ReportWriting::finish() { g_finished = true; }

// Sets a handler. A signal that is already ignored stays ignored.
void ReportWriting::set(int signal, void (*handler)(int)) {
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
  handle(signal, handler);
  before_.emplace_back(signal, before);
}

}  // namespace prof::cli
