#include "collector/session/interactive/interactive_session.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "collector/session/interactive/in_folder.hpp"
#include "collector/session/preparation.hpp"
#include "common/base/log.hpp"

namespace prof::session {

using base::Status;
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
  loop_.watch(socket_.fd());
  loop_.watch(creator_.get());
  loop_.watch(signals_.fd());
}

base::Status InteractiveSession::listen() {
  for (const base::Status& usable : {loop_.status(), signals_.status()})
    if (!usable) return usable;
  auto commands =
      CommandSocket::create(loop_, socket_.commands_path(),
                            [this](const TextCommand& command) { return answer_text(command); });
  if (!commands) return tl::make_unexpected(commands.error());
  commands_.emplace(std::move(*commands));
  return {};
}

void InteractiveSession::run() {
  while (!is_over()) {
    loop_.wait(longest_wait(), [this](int fd) { handle(fd); });
    writers_.reap();
    look_for_triggers();
    look_after_attachment();
    if (recorder_.server() == nullptr) continue;
    if (!recorder_.is_recording())
      recorder_.server()->poll();
    else if (recorder_.record())
      end_collection({}, {});
    look_after_programs();
  }
  if (attachment_) let_go_of_programs();
  if (recorder_.server() != nullptr) recorder_.server()->close();
}

// Returns how long the loop may wait. While nothing is collected and programs run, only descriptors
// wake the collector: a process that joins, ends or has filled its part of the buffer, or a
// command.
milliseconds InteractiveSession::longest_wait() const {
  const bool waits_for_children = programs_.launches() > 0 && programs_.have_ended();
  if (waits_for_children || shutting_down_) return kScanInterval;
  if (recorder_.is_recording()) return recorder_.longest_wait();
  return collection_ && collection_->triggers.needs_looks() ? FileWatch::kInterval
                                                            : milliseconds(-1);
}

void InteractiveSession::handle(int fd) {
  if (fd == socket_.fd()) return accept_client();
  if (fd == signals_.fd()) return handle_signals();
  if (commands_ && commands_->handle(fd)) return;
  if (clients_.contains(fd)) return serve(fd);
  if (fd == creator_.get()) return creator_.reset();
  if (attachment_ && attachment_->handle(fd)) return;
  if (programs_.handle(fd, clients_)) return;
  if (recorder_.server() != nullptr) recorder_.server()->handle(fd);
}

// A signal may end the session. The report of a collection is written before the collector ends.
void InteractiveSession::handle_signals() {
  while (const auto info = signals_.next()) {
    const auto signal = static_cast<int>(info->ssi_signo);
    if (signal == SIGUSR1 && recorder_.flight() != nullptr) {
      recorder_.flight()->request({.by = "signal"});
      continue;
    }
    if (signal == SIGCHLD || follow_signal(signal) || signal == SIGUSR1) continue;
    if (collection_) end_collection({}, {});
    shutting_down_ = true;
  }
}

// Handles the signals of --start-on and --stop-on. Those of earlier collections have no effect, but
// never end the session.
bool InteractiveSession::follow_signal(int signal) {
  if (std::ranges::find(trigger_signals_, signal) == trigger_signals_.end()) return false;
  if (!collection_) return true;
  if (collection_->triggers.awaits_begin() && options_.get().time.start_on.is_signal(signal))
    triggered();
  else if (recorder_.is_recording() && options_.get().time.stop_on.is_signal(signal))
    end_collection({}, {});
  return true;
}

void InteractiveSession::look_for_triggers() {
  if (!collection_) return;
  if (collection_->triggers.has_come(steps_begun())) return triggered();
  if (!recorder_.is_recording()) return;
  if (collection_->triggers.has_ended()) return end_collection({}, {});
  const std::uint32_t ranges = recorder_.server()->captures().ranges_begun();
  const auto missed = collection_->triggers.why_missed(steps_begun(), ranges);
  if (!missed) return;
  const ClientOutput output(error_of({}));
  base::log_error("{}: no report", *missed);
  recorder_.drop();
  collection_.reset();
}

void InteractiveSession::look_after_attachment() {
  if (!attachment_ || !attachment_->is_orphan()) return;
  if (attachment_->has_begun_undoing()) return attachment_->reap();
  if (collection_) end_collection({}, {});
  shutting_down_ = true;
  std::vector<pid_t> programs = recorder_.processes();
  if (recorder_.server() != nullptr)
    for (const pid_t each : recorder_.server()->pids()) programs.push_back(each);
  attachment_->undo([&] { hooks_.detach(programs); });
}

bool InteractiveSession::has_programs() {
  if (!programs_.have_ended()) return true;
  if (options_.get().wait == Wait::kPrimary || recorder_.server() == nullptr) return false;
  // Children that have not joined yet, or cannot join, have the session in their environment.
  return recorder_.server()->has_processes() || recorder_.has_processes();
}

void InteractiveSession::look_after_programs() {
  if (!programs_.have_ended()) return answer_launchers();
  if (Clock::now() - last_scan_ < kScanInterval && last_scan_ != Clock::time_point{}) return;
  last_scan_ = Clock::now();
  if (has_programs()) return;
  if (recorder_.is_recording() && collection_->stop_on_exit) {
    end_collection({}, programs_.take_waiting());
  } else if (collection_ && collection_->triggers.awaits_begin() && programs_.launches() > 0) {
    const ClientOutput output(error_of(programs_.waiting()));
    base::log_warning(
        "the last program ended before anything started the collection ({}): no report", awaited());
    collection_.reset();
  }
  answer_launchers();
}

// Answers the waiting prof launch commands: their program has ended, and the session goes on with
// others, or has nothing to write.
void InteractiveSession::answer_launchers() {
  for (const Client& client : programs_.take_waiting()) client.reply({{"status", 0}});
}

// True if the session is over. A session without a program waits for one if a collection has been
// requested.
bool InteractiveSession::is_over() {
  if (!writers_.empty() || !programs_.waiting().empty()) return false;
  if (attachment_ && attachment_->is_undoing()) return false;
  if (shutting_down_) return true;  // even if a program goes on, and prof launch with it
  if (!clients_.empty()) return false;
  if (collection_) return false;
  if (programs_.launches() == 0) return was_asked_ || !creator_;
  return !has_programs();
}

InteractiveSession::State InteractiveSession::state() const {
  if (shutting_down_) return State::kShutdown;
  if (!collection_) return State::kLaunched;
  if (recorder_.is_recording()) return State::kCollecting;
  return programs_.launches() == 0 ? State::kStarted : State::kDelayed;
}

void InteractiveSession::accept_client() {
  auto peer = accept_peer(socket_.fd());
  if (!peer) return;
  const int fd = peer->connection.get();
  loop_.watch(fd);
  clients_[fd] = {std::move(peer->connection), {}, {}};
}

void InteractiveSession::serve(int fd) {
  auto received = receive_message(fd);
  if (!received) {
    clients_.erase(fd);
    return programs_.lose_launcher(fd);
  }
  Client& client = clients_[fd];
  auto& passed = received->descriptors;
  if (!passed.empty()) client.out = std::move(passed[0]);
  if (passed.size() > 1) client.error = std::move(passed[1]);
  const ClientOutput output(client.error.get());
  try {
    answer(client, received->content);
  } catch (const Message::exception& error) {
    clients_[fd].reply(failure(std::string("not a command of this version: ") + error.what()));
  }
}

// A command that waits for reports is moved to the writer of the reports.
void InteractiveSession::answer(Client& client, const Message& request) {
  const std::string verb = text_of(request, "verb");
  const int fd = client.connection.get();
  if (verb == "describe") return client.reply(describe());
  was_asked_ = true;
  const bool has_flight = recorder_.flight() != nullptr;
  if (shutting_down_ && verb == "exited") return client.reply({{"status", 0}});
  if (shutting_down_) return client.reply(failure("the session " + name_ + " is shutting down"));
  if (has_flight && (verb == "start" || verb == "stop" || verb == "cancel"))
    return client.reply(failure("the session " + name_ +
                                " is a flight recorder; prof snapshot "
                                "writes its last seconds, prof shutdown ends it"));
  if (verb == "start") return client.reply(start(request));
  if (verb == "launch") return client.reply(launch(request));
  if (verb == "launched") return client.reply(launched(request, client));
  if (verb == "begin") return client.reply(begin());
  if (verb == "cancel") return client.reply(cancel());
  if (verb == "snapshot" && !has_flight)
    return client.reply(failure("the session " + name_ +
                                " has no flight recorder (prof launch "
                                "--flight-recorder=30s)"));
  if (verb != "stop" && verb != "shutdown" && verb != "exited" && verb != "snapshot")
    return client.reply(failure("unknown command " + verb));
  Client waiting = std::move(clients_.extract(fd).mapped());
  loop_.forget(fd);
  if (verb == "snapshot") return snapshot(request, std::move(waiting));
  if (verb == "stop") return stop(request, std::move(waiting));
  if (verb == "shutdown") return shut_down(request, std::move(waiting));
  program_exited(request, std::move(waiting));
}

Message InteractiveSession::describe() const {
  constexpr const char* kNames[] = {"Launched", "Started", "DelayedCollection", "Collection",
                                    "Shutdown"};
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_);
  Message description{{"status", 0},
                      {"name", name_},
                      {"id", getpid()},
                      {"state", kNames[static_cast<int>(state())]},
                      {"seconds", age.count()},
                      {"launches", programs_.launches()},
                      {"programs", programs_.pids()},
                      {"commands", socket_.commands_path()},
                      {"processes", recorder_.server() == nullptr ? std::vector<pid_t>()
                                                                  : recorder_.server()->pids()}};
  if (collection_) description["output"] = collection_->output;
  if (options_.get().ranges.counts_steps) description["steps"] = steps_begun();
  if (recorder_.flight() != nullptr) description["flight"] = true;
  return description;
}

Message InteractiveSession::start(const Message& request) {
  if (recorder_.is_recording())
    return failure("the session " + name_ + " is collecting already; prof stop ends that");
  if (collection_)
    return failure("the session " + name_ + " has been started already, and waits for " +
                   awaited());
  const auto output = options_.start_output(request);
  if (!output) return failure(output.error().message);
  const InFolder folder(text_of(request, "folder"));
  if (const Status read = options_.read_start(request); !read) return failure(read.error().message);
  StepPace pace(begin_);
  pace.look(steps_begun(), Clock::now());
  if (const Status can = options_.choose_steps(pace, programs_.launches() > 0); !can)
    return failure(can.error().message);
  collection_ = Collection{.output = output->path,
                           .words = options_.start_words(request),
                           .stop_on_exit = options_.get().stop_on_exit,
                           .triggers = CollectionTriggers(options_.get(), pace)};
  expect_signals();
  if (programs_.launches() == 0 || collection_->triggers.awaits_begin()) {
    const Status free = check_new_output(collection_->output, options_.get().overwrite);
    if (free) {
      collection_->name = base::ReservedName::await(collection_->output);
      return {{"status", 0}, {"awaited", awaited()}};
    }
    collection_.reset();
    return failure(free.error().message);
  }
  return begin();
}

// The options of the first launch are those of the session, because all programs share them.
Message InteractiveSession::launch(const Message& request) {
  const InFolder folder(text_of(request, "folder"));
  if (recorder_.server() == nullptr) {
    if (const Status read = options_.choose(request, collection_.has_value()); !read)
      return failure(read.error().message);
    if (const auto attached = request.find("attached"); attached != request.end())
      attachment_.emplace(loop_, attached->get<std::vector<pid_t>>());
    if (options_.get().flight.is_on())
      collection_ = Collection{.output = text_of(request, "output"), .words = {}};
    if (const Status prepared = recorder_.prepare(socket_.commands_path()); !prepared)
      return failure(prepared.error().message);
  } else if (const Status same =
                 options_.compare(request, recorder_.clock(), recorder_.has_metrics_endpoint());
             !same) {
    return failure(same.error().message);
  }
  options_.keep_warnings(request);
  return {{"status", 0}, {"directory", recorder_.directory()}};
}

// Adds a program that exists and waits to exec.
Message InteractiveSession::launched(const Message& request, const Client& client) {
  if (recorder_.server() == nullptr) return failure("nothing has been launched");
  const pid_t pid = request.at("pid").get<pid_t>();
  if (!programs_.add(pid, client)) return failure("the program has ended");
  // With prof attach, the collection begins when it has announced all programs.
  if (!collection_ || collection_->triggers.awaits_begin() || attachment_) return {{"status", 0}};
  if (!recorder_.is_recording()) return begin();
  recorder_.add_program(pid);
  return {{"status", 0}};
}

Message InteractiveSession::begin() {
  if (!collection_ || recorder_.is_recording()) return failure("nothing waits to begin");
  if (const Status begun = begin_collection(); !begun) {
    collection_.reset();
    return failure(begun.error().message);
  }
  return {{"status", 0}};
}

void InteractiveSession::program_exited(const Message& request, Client client) {
  programs_.end(request.at("pid").get<pid_t>(), request.value("status", kUnknownStatus),
                std::move(client));
  last_scan_ = {};
}

void InteractiveSession::snapshot(const Message& request, Client client) {
  auto waiting = std::make_shared<Client>(std::move(client));
  recorder_.flight()->request({.output = text_of(request, "output"),
                               .overwrite = request.value("overwrite", false),
                               .out = base::UniqueFd(dup(waiting->out.get())),
                               .error = base::UniqueFd(dup(waiting->error.get())),
                               .done = [waiting](int status, const std::string& output) {
                                 waiting->reply({{"status", status}, {"output", output}});
                               }});
}

Message InteractiveSession::cancel() {
  if (!collection_) return failure("the session " + name_ + " is not collecting");
  if (recorder_.is_recording()) recorder_.drop();
  collection_.reset();
  if (programs_.launches() == 0) shutting_down_ = true;
  return {{"status", 0}};
}

std::string InteractiveSession::awaited() const {
  return collection_->triggers.awaits_begin() ? collection_->triggers.awaited() : "prof launch";
}

std::uint64_t InteractiveSession::steps_begun() const {
  return recorder_.server() == nullptr ? 0 : recorder_.server()->steps_begun();
}

std::string InteractiveSession::why_not_stopped() const {
  if (!collection_) return "the session " + name_ + " is not collecting";
  return "the session " + name_ + " waits for " + awaited() +
         ": nothing has been collected. prof cancel ends that";
}

void InteractiveSession::stop(const Message& request, Client client) {
  if (!recorder_.is_recording()) return client.reply(failure(why_not_stopped()));
  std::optional<std::chrono::nanoseconds> keep;
  if (const double seconds = request.value("keep", 0.0); seconds > 0)
    keep = std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  std::vector<Client> waiting;
  waiting.push_back(std::move(client));
  end_collection(keep, std::move(waiting));
  if (attachment_) let_go_of_programs();
}

// Answers prof attach, which then detaches from its programs. Without an answer, prof attach would
// assume that the collector was killed.
void InteractiveSession::let_go_of_programs() {
  for (const int connection : programs_.let_go())
    if (const auto attachment = clients_.extract(connection))
      attachment.mapped().reply({{"status", 0}});
}

void InteractiveSession::shut_down(const Message& request, Client client) {
  std::vector<Client> waiting;
  waiting.push_back(std::move(client));
  const bool collects = recorder_.is_recording();
  if (collects) end_collection({}, std::exchange(waiting, {}));
  collection_.reset();
  shutting_down_ = true;
  const int signal = request.value("signal", 0);
  const bool is_chosen = request.value("is_chosen", false);
  if (signal != 0 && (is_chosen || !attachment_))
    for (const pid_t pid : recorder_.processes()) kill(pid, signal);
  answer_launchers();
  for (const Client& each : waiting) each.reply({{"status", 0}});
}

std::string InteractiveSession::answer_text(const TextCommand& command) {
  if (command.verb == "status") return "ok " + describe().at("state").get<std::string>();
  if (shutting_down_) return "error the session is shutting down";
  if (command.verb == "start") return answer_start(command);
  if (command.verb == "stop") return answer_stop();
  if (command.verb != "mark") return "error unknown command; known: start, stop, mark, status";
  if (recorder_.server() == nullptr ||
      !recorder_.server()->mark(command.sender, std::string(command.rest)))
    return "error no program runs";
  return "ok";
}

// Starts a collection, with the options of prof start, if any are given. A collection that waits
// for --start-on=control begins with the options of its prof start.
std::string InteractiveSession::answer_start(const TextCommand& command) {
  if (collection_ && collection_->triggers.awaits_begin() &&
      options_.get().time.start_on.is_control() && command.rest.empty()) {
    const std::string output = collection_->output;
    triggered();
    return collection_ ? "ok " + output : "error the collection could not begin";
  }
  const InFolder folder(options_.folder());
  auto words = hooks_.split_words(std::string(command.rest));
  if (!words) return "error " + words.error().message;
  Message request{{"verb", "start"}, {"words", *words}, {"folder", options_.folder()}};
  const auto output = hooks_.output_of(options_.start_words(request));
  if (!output) return "error " + output.error().message;
  request["output"] = output->path;
  request["chooses_output"] = true;
  const Message answer = start(request);
  if (answer.value("status", 1) != 0) return "error " + answer.value("message", std::string());
  return "ok " + collection_->output;
}

// Stops the collection. The report is written while the session goes on.
std::string InteractiveSession::answer_stop() {
  if (!recorder_.is_recording()) return "error " + why_not_stopped();
  const std::string output = collection_->output;
  end_collection({}, {});
  return "ok " + output;
}

// Takes the signals of prof start --start-on and --stop-on from now on.
void InteractiveSession::expect_signals() {
  for (const Trigger* trigger : {&options_.get().time.start_on, &options_.get().time.stop_on})
    if (trigger->kind == Trigger::Kind::kSignal) {
      signals_.add(trigger->signal);
      trigger_signals_.push_back(trigger->signal);
    }
}

// Begins a collection now, or with the first program.
void InteractiveSession::triggered() {
  collection_->triggers.begin();
  if (programs_.launches() == 0) return;
  const Status begun = begin_collection();
  if (begun) return;
  const ClientOutput output(error_of({}));
  base::log_error("{}", begun.error().message);
  collection_.reset();
}

Status InteractiveSession::begin_collection() {
  options_.drop_impossible_ranges();
  collection_->output = with_pid(collection_->output, programs_.first());
  const Status begun = recorder_.begin(collection_->output, options_.launch_warnings());
  collection_->name.reset();
  return begun;
}

int InteractiveSession::error_of(const std::vector<Client>& waiting) const {
  return waiting.empty() ? programs_.error() : waiting.front().error.get();
}

void InteractiveSession::end_collection(std::optional<std::chrono::nanoseconds> keep,
                                        std::vector<Client> waiting) {
  if (!recorder_.is_recording()) {
    collection_.reset();
    for (const Client& client : waiting) client.reply({{"status", 0}});
    return;
  }
  const ClientOutput output(error_of(waiting));
  auto finished = recorder_.end(collection_->output, collection_->words, keep);
  collection_.reset();
  const int error = error_of(waiting);
  if (finished) return writers_.start(std::move(*finished), std::move(waiting), error);
  base::log_error("{}", finished.error().message);
  for (const Client& client : waiting) client.reply({{"status", 1}});
}

}  // namespace prof::session
