#include "cli/monitor/live_terminal.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>

#include "cli/output/terminal.hpp"
#include "collector/session/signals.hpp"

namespace prof::cli {

namespace {

// Codes that every current terminal knows. They show a second screen, so that the first one keeps
// its content.
constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr char kLeave[] = "\x1b[?25h\x1b[?1049l";
constexpr char kHome[] = "\x1b[H";
constexpr char kEndOfLine[] = "\x1b[K\r\n";
constexpr char kEndOfScreen[] = "\x1b[J";

constexpr int kEndSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

termios g_old_settings;
bool g_is_changed = false;

// This function may run in a signal handler.
void write_all(const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(STDOUT_FILENO, text, size);
    if (written <= 0) return;
    text += written;
    size -= static_cast<std::size_t>(written);
  }
}

void leave() {
  if (!g_is_changed) return;
  g_is_changed = false;
  write_all(kLeave, sizeof kLeave - 1);
  tcsetattr(STDIN_FILENO, TCSANOW, &g_old_settings);
}

void enter() {
  if (tcgetattr(STDIN_FILENO, &g_old_settings) != 0) return;
  termios settings = g_old_settings;
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  settings.c_cc[VMIN] = 0;
  settings.c_cc[VTIME] = 0;
  g_is_changed = true;
  tcsetattr(STDIN_FILENO, TCSANOW, &settings);
  write_all(kEnter, sizeof kEnter - 1);
}

void restore_after_crash(int signal) {
  leave();
  raise(signal);  // SA_RESETHAND: the signal now has its usual effect
}

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kEndSignals) sigaddset(&set, signal);
  for (const int signal : {SIGWINCH, SIGTSTP, SIGCONT}) sigaddset(&set, signal);
  // These signals end prof, or stop it, and would leave the terminal as it is.
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (session::use_of(signal) == session::SignalUse::kPassedOver) sigaddset(&set, signal);
  return set;
}

}  // namespace

LiveTerminal::LiveTerminal() {
  const sigset_t set = handled_signals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_) sigprocmask(SIG_UNBLOCK, &set, nullptr);
  struct sigaction crash {};
  crash.sa_handler = restore_after_crash;
  crash.sa_flags = SA_RESETHAND | SA_NODEFER;
  for (const int signal : kCrashes) sigaction(signal, &crash, nullptr);
  enter();
}

LiveTerminal::~LiveTerminal() { leave(); }

void LiveTerminal::show(const std::vector<std::string>& lines) {
  std::string text = kHome;
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += lines[i] + (i + 1 < lines.size() ? kEndOfLine : "\x1b[K");
  text += kEndOfScreen;
  write_all(text.data(), text.size());
}

std::size_t LiveTerminal::width() const { return terminal_width(STDOUT_FILENO); }

std::size_t LiveTerminal::height() const {
  struct winsize size {};
  constexpr std::size_t kUsualHeight = 24;
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
  return known ? size.ws_row : kUsualHeight;
}

void LiveTerminal::stop() {
  leave();
  raise(SIGSTOP);
  enter();
}

LiveTerminal::Event LiveTerminal::wait(std::chrono::steady_clock::time_point until, char& key) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
  pollfd waited[] = {{STDIN_FILENO, POLLIN, 0}, {signals_.get(), POLLIN, 0}};
  const int ready =
      poll(waited, std::size(waited), static_cast<int>(std::max(left, milliseconds(0)).count()));
  if (ready <= 0) return Event::kNothing;
  signalfd_siginfo info{};
  if (read(signals_.get(), &info, sizeof info) == sizeof info) {
    const auto signal = static_cast<int>(info.ssi_signo);
    if (std::ranges::find(kEndSignals, signal) != std::end(kEndSignals)) {
      signal_ = signal;
      return Event::kEnd;
    }
    if (signal == SIGTSTP) stop();
    return Event::kResized;
  }
  if (waited[0].revents == 0) return Event::kNothing;
  return read(STDIN_FILENO, &key, 1) == 1 ? Event::kKey : Event::kEnd;
}

}  // namespace prof::cli
