#include "cli/sessions/session_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "cli/export/report_work.hpp"
#include "cli/messages/failure.hpp"
#include "cli/options/output_name.hpp"
#include "cli/options/words/option_file.hpp"
#include "cli/output/after_reports.hpp"
#include "cli/output/exit_status.hpp"
#include "cli/output/left_over.hpp"
#include "cli/output/report_steps.hpp"
#include "cli/sessions/attachment.hpp"
#include "cli/sessions/launch_options.hpp"
#include "collector/session/admission/process_facts.hpp"
#include "collector/session/interactive/interactive_session.hpp"
#include "collector/session/launch/injection_library.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::cli {

using session::FinishedCollection;
using session::SessionOptions;
using session::Words;

namespace {

constexpr char kReady = '+';  // any other text is the reason why there is no session

base::Result<session::ChosenOutput> output_of(const Words& words) try {
  SessionOptions options;
  StartOptions start(options);
  read_words(start, words, "start", false);
  OutputName name = expand_output_name(start.output);
  return session::ChosenOutput{name.absolute(), name.take_reserved()};
} catch (const Failure& failure) {
  return base::fail(failure.what());
}

base::Result<Words> split(const std::string& line) try {
  return words_of_text(line, "start");
} catch (const Failure& failure) {
  return base::fail(failure.what());
}

template <class Options>
base::Status read(const Words& words, SessionOptions& options, const char* verb,
                  bool takes_command) try {
  Options reader(options);
  read_words(reader, words, verb, takes_command);
  return {};
} catch (const Failure& failure) {
  return base::fail(failure.what());
}

// Writes the report, in a child of the collector. Its standard streams are those of the command
// that waits.
int write_collection(FinishedCollection& finished, const std::string& session) {
  SessionOptions options;
  StartOptions start(options);
  read_words(start, finished.words, "start", false);
  ReportInputs inputs;
  inputs.why_empty = fmt::format("{}. {}", kNeverEntered, start.why_never_entered());
  const std::vector<std::string> reports =
      write_reports(finished.file, finished.spool, finished.output, finished.overwrite, nullptr,
                    std::move(inputs));
  do_report_work(reports, start.work, finished.overwrite);
  run_after_reports(finished.hooks, session, reports);
  std::fflush(nullptr);
  return 0;
}

// Detaches the process from the terminal. No descriptor of the command stays open, so nobody waits
// for the command because of the session.
void leave_terminal(int ready, int creator) {
  for (const pid_t fd : base::ids_in("/proc/self/fd"))
    if (fd > STDERR_FILENO && fd != ready && fd != creator) close(fd);
  const int nothing = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, fd);
  if (nothing > STDERR_FILENO) close(nothing);
  static_cast<void>(!chdir("/"));
  prctl(PR_SET_NAME, "prof-session");
}

// Detaches from the programs. The library is the one that prof attach has found, or would have
// found.
void detach(const std::vector<pid_t>& programs) {
  exit_status_of([&] {
    if (const auto library = session::find_injection_library()) detach_from(programs, *library);
    return 0;
  });
}

void serve(const std::string& name, base::UniqueFd creator, int ready) {
  leave_terminal(ready, creator.get());
  auto socket = session::SessionSocket::create(name);
  if (!socket) {
    const std::string& why = socket.error().message;
    static_cast<void>(!::write(ready, why.data(), why.size()));
    return;
  }
  remove_left_folders();
  session::InteractiveSession session(
      name, std::move(*socket), std::move(creator),
      {[](const Words& words, SessionOptions& options) {
         return read<LaunchOptions>(words, options, "launch", true);
       },
       [](const Words& words, SessionOptions& options) {
         return read<StartOptions>(words, options, "start", false);
       },
       split, output_of,
       [name](FinishedCollection& finished) {
         return exit_status_of([&] { return write_collection(finished, name); });
       },
       detach});
  if (const base::Status listening = session.listen(); !listening) {
    const std::string& why = listening.error().message;
    static_cast<void>(!::write(ready, why.data(), why.size()));
    return;
  }
  static_cast<void>(!::write(ready, &kReady, 1));
  close(ready);
  session.run();
}

std::string read_all(int fd) {
  std::string text;
  char buffer[512];
  ssize_t bytes;
  while ((bytes = ::read(fd, buffer, sizeof buffer)) > 0 || (bytes < 0 && errno == EINTR))
    if (bytes > 0) text.append(buffer, static_cast<std::size_t>(bytes));
  return text;
}

}  // namespace

void start_session_process(const std::string& name) {
  std::fflush(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Failure("cannot create a pipe");
  base::UniqueFd creator = session::open_pidfd(getpid());
  if (!creator) throw Failure("a session needs pidfd_open (Linux 5.3)");
  const pid_t pid = fork();
  if (pid < 0) throw Failure("cannot start the session's collector");
  if (pid == 0) {
    setsid();
    // Forks again, so that the session's collector cannot get a terminal: it does not lead its
    // process session.
    if (fork() == 0) serve(name, std::move(creator), ends[1]);
    _exit(0);
  }
  close(ends[1]);
  waitpid(pid, nullptr, 0);
  const std::string answer = read_all(ends[0]);
  close(ends[0]);
  if (answer.empty()) throw Failure("the session's collector ended at once");
  if (answer != std::string(1, kReady)) throw Failure(answer);
}

}  // namespace prof::cli
