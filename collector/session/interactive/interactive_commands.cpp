// The commands that a session understands.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "collector/session/admission/process_facts.hpp"
#include "collector/session/interactive/client_output.hpp"
#include "collector/session/interactive/in_folder.hpp"
#include "collector/session/interactive/interactive_session.hpp"
#include "collector/session/options/session_reply.hpp"
#include "collector/session/preparation.hpp"
#include "common/base/log.hpp"

namespace prof::session {

using base::Status;

namespace {

Message failure(const std::string& text) { return {{"status", 1}, {"message", text}}; }

Words words_of(const Message& request) {
  const auto found = request.find("words");
  return found == request.end() ? Words{} : found->get<Words>();
}

std::string text_of(const Message& request, const char* name) {
  return request.value(name, std::string());
}

}  // namespace

InteractiveSession::State InteractiveSession::state() const {
  if (shutting_down_) return State::kShutdown;
  if (!collection_) return State::kLaunched;
  if (collection_->has_begun) return State::kCollecting;
  return launches_ == 0 ? State::kStarted : State::kDelayed;
}

void InteractiveSession::accept_client() {
  auto peer = accept_peer(socket_.fd());
  if (!peer) return;
  const int fd = peer->connection.get();
  loop_.watch(fd);
  clients_[fd] = {std::move(peer->connection), {}, {}};
}

void InteractiveSession::reply(const Client& client, const Message& message) {
  static_cast<void>(send_message(client.connection.get(), message));
}

void InteractiveSession::serve(int fd) {
  auto received = receive_message(fd);
  if (!received) {
    clients_.erase(fd);
    for (Program& program : programs_) {
      if (program.launcher != fd) continue;
      program.launcher = -1;
      if (program.is_gone) program.end();
    }
    return;
  }
  Client& client = clients_[fd];
  auto& passed = received->descriptors;
  if (!passed.empty()) client.out = std::move(passed[0]);
  if (passed.size() > 1) client.error = std::move(passed[1]);
  const ClientOutput output(client.error.get());
  try {
    answer(client, received->content);
  } catch (const Message::exception& error) {
    reply(clients_[fd], failure(std::string("not a command of this version: ") + error.what()));
  }
}

// A command that waits for reports is moved to their writer.
void InteractiveSession::answer(Client& client, const Message& request) {
  const std::string verb = text_of(request, "verb");
  const int fd = client.connection.get();
  if (verb == "describe") return reply(client, describe());
  was_asked_ = true;
  if (shutting_down_ && verb == "exited") return reply(client, {{"status", 0}});
  if (shutting_down_) return reply(client, failure("the session " + name_ + " is shutting down"));
  if (flight_ && (verb == "start" || verb == "stop" || verb == "cancel"))
    return reply(client, failure("the session " + name_ +
                                 " is a flight recorder; prof snapshot "
                                 "writes its last seconds, prof shutdown ends it"));
  if (verb == "start") return reply(client, start(request));
  if (verb == "launch") return reply(client, launch(request));
  if (verb == "launched") return reply(client, launched(request, client));
  if (verb == "begin") return reply(client, begin());
  if (verb == "cancel") return reply(client, cancel());
  if (verb == "snapshot" && !flight_)
    return reply(client, failure("the session " + name_ +
                                 " has no flight recorder (prof launch "
                                 "--flight-recorder=30s)"));
  if (verb != "stop" && verb != "shutdown" && verb != "exited" && verb != "snapshot")
    return reply(client, failure("unknown command " + verb));
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
  Message programs = Message::array();
  for (const Program& each : programs_)
    if (!each.has_ended) programs.push_back(each.pid);
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_);
  Message description{{"status", 0},
                      {"name", name_},
                      {"id", getpid()},
                      {"state", kNames[static_cast<int>(state())]},
                      {"seconds", age.count()},
                      {"launches", launches_},
                      {"programs", programs},
                      {"commands", socket_.commands_path()},
                      {"processes", server_ == nullptr ? std::vector<pid_t>() : server_->pids()}};
  if (collection_) description["output"] = collection_->output;
  if (flight_) description["flight"] = true;
  return description;
}

// The last of several values of an option counts.
Words InteractiveSession::start_words(const Message& request) const {
  Words words = defaults_;
  const Words given = words_of(request);
  words.insert(words.end(), given.begin(), given.end());
  return words;
}

base::Result<ChosenOutput> InteractiveSession::start_output(const Message& request) const {
  const bool has_default = std::ranges::any_of(
      defaults_, [](const std::string& word) { return word.starts_with("--output="); });
  if (!has_default || request.value("chooses_output", false))
    return ChosenOutput{text_of(request, "output")};
  const InFolder folder(folder_);
  return hooks_.output_of(start_words(request));
}

Message InteractiveSession::start(const Message& request) {
  if (collection_ && collection_->has_begun)
    return failure("the session " + name_ + " is collecting already; prof stop ends that");
  if (collection_)
    return failure("the session " + name_ + " has been started already, and waits for " +
                   (collection_->waits_for_trigger ? "--start-on" : "prof launch"));
  const auto output = start_output(request);
  if (!output) return failure(output.error().message);
  const InFolder folder(text_of(request, "folder"));
  SessionOptions options = options_;
  options.cpu = {};
  options.warnings.clear();
  options.overwrite = false;
  options.time.start_on = options.time.stop_on = {};
  const std::string nvtx_range = options_.ranges.nvtx_range;
  const std::string nvtx_domain = options_.ranges.nvtx_domain;
  options.ranges = {};
  options.ranges.nvtx_range = nvtx_range;
  options.ranges.nvtx_domain = nvtx_domain;
  if (const Status read = hooks_.read_start(start_words(request), options); !read)
    return failure(read.error().message);
  options_ = std::move(options);
  collection_ = Collection{.output = output->path,
                           .words = start_words(request),
                           .stop_on_exit = options_.stop_on_exit,
                           .waits_for_trigger = options_.time.start_on.is_set()};
  expect_triggers();
  if (server_ == nullptr || programs_.empty() || collection_->waits_for_trigger) {
    const Status free = check_new_output(collection_->output, options_.overwrite);
    if (free) {
      collection_->name = base::ReservedName::await(collection_->output);
      return {{"status", 0}};
    }
    collection_.reset();
    return failure(free.error().message);
  }
  if (const Status begun = begin_collection(); !begun) {
    collection_.reset();
    return failure(begun.error().message);
  }
  return {{"status", 0}};
}

// The options of the first launch are those of the session: the programs share them.
Message InteractiveSession::launch(const Message& request) {
  const InFolder folder(text_of(request, "folder"));
  if (folder_.empty()) folder_ = text_of(request, "folder");
  if (server_ == nullptr) {
    SessionOptions options = options_;
    options.warnings.clear();
    if (const Status read = hooks_.read_launch(words_of(request), options); !read)
      return failure(read.error().message);
    options.features &= request.value("features", ~std::uint32_t{0});
    options.command = request.at("command").get<Words>();
    const std::string output = text_of(request, "output");
    // prof attach says at once how its flight recorder samples.
    if (request.contains("start_words")) {
      options.cpu = {};
      options.warnings.clear();
      if (const Status read = hooks_.read_start(request.at("start_words").get<Words>(), options);
          !read)
        return failure(read.error().message);
    }
    if (options.flight.is_on() && collection_)
      return failure("the session " + name_ +
                     " waits to collect; --flight-recorder needs one of "
                     "its own: --session-new=NAME");
    if (const auto attached = request.find("attached"); attached != request.end())
      watch_attachment(attached->get<std::vector<pid_t>>());
    defaults_ = request.value("defaults", Words{});
    launch_warnings_ = std::exchange(options.warnings, options_.warnings);
    options_ = std::move(options);
    if (options_.flight.is_on()) collection_ = Collection{.output = output, .words = {}};
    if (const Status prepared = prepare_session(); !prepared)
      return failure(prepared.error().message);
  } else {
    SessionOptions other = options_;
    if (const Status read = hooks_.read_launch(words_of(request), other); !read)
      return failure(read.error().message);
    other.cpu = options_.cpu;  // each start decides
    if (other.metrics_endpoint && !metrics_)
      return failure(
          "the session " + name_ +
          " has no metrics endpoint. The first prof launch decides. For another session: "
          "--session-new=NAME");
    const SessionFacts facts{*clock_, {}, true, 0};
    other.features &= request.value("features", ~std::uint32_t{0});
    const wire::Reply ours = reply_of(options_, facts);
    const wire::Reply theirs = reply_of(other, facts);
    if (std::memcmp(&ours, &theirs, sizeof ours) != 0)
      return failure("the session " + name_ +
                     " traces with other options. Launch with the same ones, or into a session of "
                     "its own: --session-new=NAME");
  }
  for (const std::string& warning : request.value("warnings", Words{}))
    launch_warnings_.push_back(warning);
  return {{"status", 0}, {"directory", directory_->path()}};
}

void InteractiveSession::watch_attachment(const std::vector<pid_t>& prof_and_guard) {
  attachment_ = Attachment{open_pidfd(prof_and_guard.at(0)), open_pidfd(prof_and_guard.at(1)), {}};
  for (const base::UniqueFd* each : {&attachment_->prof, &attachment_->guard})
    if (*each) loop_.watch(each->get());
}

// The program exists and waits to exec.
Message InteractiveSession::launched(const Message& request, const Client& client) {
  if (server_ == nullptr) return failure("nothing has been launched");
  Program program;
  program.pid = request.at("pid").get<pid_t>();
  program.pidfd = open_pidfd(program.pid);
  if (!program.pidfd) return failure("the program has ended");
  loop_.watch(program.pidfd.get());
  program.error.reset(dup(client.error.get()));
  program.launcher = client.connection.get();
  const pid_t pid = program.pid;
  programs_.push_back(std::move(program));
  ++launches_;
  // prof attach begins when it has announced all programs.
  if (!collection_ || collection_->waits_for_trigger || attachment_) return {{"status", 0}};
  if (collection_->has_begun) {
    if (kernel_) kernel_->cpu.add(sampler::waiting_process(pid));
    return {{"status", 0}};
  }
  return begin();
}

Message InteractiveSession::begin() {
  if (!collection_ || collection_->has_begun) return failure("nothing waits to begin");
  if (const Status begun = begin_collection(); !begun) {
    collection_.reset();
    return failure(begun.error().message);
  }
  return {{"status", 0}};
}

void InteractiveSession::program_exited(const Message& request, Client client) {
  const pid_t pid = request.at("pid").get<pid_t>();
  exit_status_ = request.value("status", kUnknownStatus);
  for (Program& program : programs_)
    if (program.pid == pid) program.end();
  launchers_.push_back(std::move(client));
  last_scan_ = {};
}

void InteractiveSession::snapshot(const Message& request, Client client) {
  auto waiting = std::make_shared<Client>(std::move(client));
  flight_->request({.output = text_of(request, "output"),
                    .overwrite = request.value("overwrite", false),
                    .out = base::UniqueFd(dup(waiting->out.get())),
                    .error = base::UniqueFd(dup(waiting->error.get())),
                    .done = [waiting](int status, const std::string& output) {
                      reply(*waiting, {{"status", status}, {"output", output}});
                    }});
}

Message InteractiveSession::cancel() {
  if (!collection_) return failure("the session " + name_ + " is not collecting");
  drop_collection();
  if (launches_ == 0) shutting_down_ = true;
  return {{"status", 0}};
}

std::string InteractiveSession::why_not_stopped() const {
  if (!collection_) return "the session " + name_ + " is not collecting";
  return "the session " + name_ + " waits for " +
         (collection_->waits_for_trigger ? "--start-on" : "prof launch") +
         ": nothing has been collected. prof cancel ends that";
}

void InteractiveSession::stop(const Message& request, Client client) {
  if (!collection_ || !collection_->has_begun) return reply(client, failure(why_not_stopped()));
  std::optional<std::chrono::nanoseconds> keep;
  if (const double seconds = request.value("keep", 0.0); seconds > 0)
    keep = std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  std::vector<Client> waiting;
  waiting.push_back(std::move(client));
  end_collection(keep, std::move(waiting));
  if (attachment_) let_go_of_programs();
}

// prof attach hears that, and takes back what it has changed. Without a word, it takes the
// collector for killed.
void InteractiveSession::let_go_of_programs() {
  for (Program& program : programs_) {
    const auto attachment = clients_.find(std::exchange(program.launcher, -1));
    if (attachment == clients_.end()) continue;
    reply(attachment->second, {{"status", 0}});
    clients_.erase(attachment);
  }
}

void InteractiveSession::shut_down(const Message& request, Client client) {
  std::vector<Client> waiting;
  waiting.push_back(std::move(client));
  const bool collects = collection_ && collection_->has_begun;
  if (collects) end_collection({}, std::exchange(waiting, {}));
  collection_.reset();
  shutting_down_ = true;
  const int signal = request.value("signal", 0);
  const bool is_chosen = request.value("is_chosen", false);
  if (signal != 0 && (is_chosen || !attachment_))
    for (const pid_t pid : processes()) kill(pid, signal);
  answer_launchers();
  for (const Client& each : waiting) reply(each, {{"status", 0}});
}

}  // namespace prof::session
