#include "collector/session/interactive/interactive_session.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "collector/session/admission/process_facts.hpp"
#include "collector/session/interactive/client_output.hpp"
#include "collector/spool/left_over.hpp"
#include "common/base/log.hpp"

namespace prof::session {

using std::chrono::milliseconds;

namespace {

constexpr auto kScanInterval = milliseconds(100);

}  // namespace

InteractiveSession::InteractiveSession(std::string name, SessionSocket socket,
                                       base::UniqueFd creator, SessionHooks hooks)
    : name_(std::move(name)),
      socket_(std::move(socket)),
      creator_(std::move(creator)),
      hooks_(std::move(hooks)) {
  options_.time.on_demand = true;
  loop_.watch(socket_.fd());
  loop_.watch(creator_.get());
  loop_.watch(signals_.fd());
}

void InteractiveSession::run() {
  while (!is_over()) {
    wait();
    reap_writers();
    look_for_files();
    look_after_attachment();
    if (server_ == nullptr) continue;
    if (collection_ && collection_->has_begun)
      collect();
    else
      server_->poll();
    look_after_programs();
  }
  if (attachment_) let_go_of_programs();
  if (server_ != nullptr) server_->close();
}

// While nothing is collected and programs run, nothing wakes the collector but its descriptors: a
// process that joins, ends or has filled its part of the buffer, or a command.
milliseconds InteractiveSession::longest_wait() const {
  const bool waits_for_children =
      launches_ > 0 &&
      std::ranges::all_of(programs_, [](const Program& each) { return each.has_ended; });
  if (waits_for_children || shutting_down_) return kScanInterval;
  const bool looks_for_file =
      collection_ && (collection_->start_file.is_active() || collection_->stop_file.is_active());
  if (!collection_ || !collection_->has_begun)
    return looks_for_file ? FileWatch::kInterval : milliseconds(-1);
  const auto left =
      std::chrono::ceil<milliseconds>(pace_->due(server_->is_drain_requested()) - Clock::now());
  return std::clamp(left, milliseconds(0),
                    kernel_is_idle_ ? pace_->idle_interval() : DrainPace::kPollInterval);
}

void InteractiveSession::wait() {
  loop_.wait(longest_wait(), [this](int fd) { handle(fd); });
}

void InteractiveSession::handle(int fd) {
  if (fd == socket_.fd()) return accept_client();
  if (fd == signals_.fd()) return handle_signals();
  if (commands_ && commands_->handle(fd)) return;
  if (clients_.contains(fd)) return serve(fd);
  if (fd == creator_.get()) return creator_.reset();
  if (attachment_ && fd == attachment_->prof.get()) return attachment_->prof.reset();
  if (attachment_ && fd == attachment_->guard.get()) return attachment_->guard.reset();
  for (Program& program : programs_)
    if (program.pidfd && program.pidfd.get() == fd) {
      // prof launch is about to say how it ended, and waits for the reports.
      if (clients_.contains(program.launcher))
        loop_.forget(fd);
      else
        program.end();
      program.is_gone = true;
      return;
    }
  if (server_ != nullptr) server_->handle(fd);
}

// The report of a collection is written before the collector ends.
void InteractiveSession::handle_signals() {
  while (const auto info = signals_.next()) {
    const auto signal = static_cast<int>(info->ssi_signo);
    if (signal == SIGUSR1 && flight_) {
      flight_->request({.by = "signal"});
      continue;
    }
    if (signal == SIGCHLD || follow_signal(signal) || signal == SIGUSR1) continue;
    if (collection_) end_collection({}, {});
    shutting_down_ = true;
  }
}

// Signals of --start-on and --stop-on, also of earlier collections: they never end the session.
bool InteractiveSession::follow_signal(int signal) {
  if (std::ranges::find(trigger_signals_, signal) == trigger_signals_.end()) return false;
  if (!collection_) return true;
  if (collection_->waits_for_trigger && options_.time.start_on.is_signal(signal))
    triggered();
  else if (collection_->has_begun && options_.time.stop_on.is_signal(signal))
    end_collection({}, {});
  return true;
}

void InteractiveSession::look_for_files() {
  if (!collection_) return;
  if (collection_->start_file.is_active() && collection_->start_file.has_appeared() &&
      collection_->waits_for_trigger)
    triggered();
  else if (collection_->stop_file.is_active() && collection_->stop_file.has_appeared() &&
           collection_->has_begun)
    end_collection({}, {});
}

void InteractiveSession::reap_writers() {
  for (auto at = writers_.begin(); at != writers_.end();) {
    int status = 0;
    if (waitpid(at->pid, &status, WNOHANG) != at->pid) {
      ++at;
      continue;
    }
    Message answer{{"status", WIFEXITED(status) ? WEXITSTATUS(status) : 1}};
    if (WIFSIGNALED(status))
      answer["message"] = "the process that wrote the report was killed; the recording is kept: " +
                          spool::recovery_command(at->spool);
    for (const Client& client : at->clients) reply(client, answer);
    at = writers_.erase(at);
  }
}

void InteractiveSession::look_after_attachment() {
  if (!attachment_ || !attachment_->is_orphan()) return;
  auto& undoing = attachment_->undoing;
  if (undoing) {
    if (*undoing > 0 && waitpid(*undoing, nullptr, WNOHANG) == *undoing) undoing = 0;
    return;
  }
  if (collection_) end_collection({}, {});
  shutting_down_ = true;
  std::vector<pid_t> programs = processes();
  if (server_ != nullptr)
    for (const pid_t each : server_->pids()) programs.push_back(each);
  undoing = fork();
  if (*undoing == 0) {
    hooks_.detach(programs);
    _exit(0);
  }
}

bool InteractiveSession::has_programs() {
  if (std::ranges::any_of(programs_, [](const Program& each) { return !each.has_ended; }))
    return true;
  if (options_.wait == Wait::kPrimary || server_ == nullptr) return false;
  if (server_->has_processes()) return true;
  // Children that have not joined yet, or cannot, have the session in their environment.
  return !session_processes_->find().empty();
}

void InteractiveSession::look_after_programs() {
  const bool all_ended =
      std::ranges::all_of(programs_, [](const Program& each) { return each.has_ended; });
  if (!all_ended) return answer_launchers();
  if (Clock::now() - last_scan_ < kScanInterval && last_scan_ != Clock::time_point{}) return;
  last_scan_ = Clock::now();
  if (has_programs()) return;
  if (collection_ && collection_->has_begun && collection_->stop_on_exit) {
    end_collection({}, std::exchange(launchers_, {}));
  } else if (collection_ && collection_->waits_for_trigger && launches_ > 0) {
    const ClientOutput output(error_of(launchers_));
    base::log_warning(
        "the last program ended before anything started the collection (--start-on={}): no report",
        options_.time.start_on.word);
    collection_.reset();
  }
  answer_launchers();
}

// A program has ended, and the session goes on with others, or there is nothing to write.
void InteractiveSession::answer_launchers() {
  for (const Client& client : std::exchange(launchers_, {})) reply(client, {{"status", 0}});
}

// A session without a program waits for one if a collection has been requested.
bool InteractiveSession::is_over() {
  if (!writers_.empty() || !launchers_.empty()) return false;
  if (attachment_ && attachment_->undoing.value_or(0) > 0) return false;
  if (shutting_down_) return true;  // also if a program goes on, and prof launch with it
  if (!clients_.empty()) return false;
  if (collection_) return false;
  if (launches_ == 0) return was_asked_ || !creator_;
  return !has_programs();
}

}  // namespace prof::session
