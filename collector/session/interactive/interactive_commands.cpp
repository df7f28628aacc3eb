// The commands that a session understands.
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <utility>

#include "collector/base/log.hpp"
#include "collector/session/admission/process_facts.hpp"
#include "collector/session/interactive/client_output.hpp"
#include "collector/session/interactive/interactive_session.hpp"
#include "collector/session/options/session_reply.hpp"
#include "collector/session/preparation.hpp"

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

// Relative paths in options are those of the command.
class InFolder {
 public:
  explicit InFolder(const std::string& folder) {
    std::error_code ignored;
    if (!folder.empty()) std::filesystem::current_path(folder, ignored);
  }
  ~InFolder() {
    std::error_code ignored;
    std::filesystem::current_path("/", ignored);
  }
  InFolder(const InFolder&) = delete;
};

}  // namespace

InteractiveSession::State InteractiveSession::state() const {
  if (shutting_down_) return State::kShutdown;
  if (!collection_) return State::kLaunched;
  return collection_->has_begun ? State::kCollecting : State::kStarted;
}

void InteractiveSession::accept_client() {
  base::UniqueFd connection(accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection) return;
  const auto peer = peer_of(connection.get());
  if (!peer || (peer->user != geteuid() && peer->user != 0)) return;
  loop_.watch(connection.get());
  const int fd = connection.get();
  clients_[fd] = {std::move(connection), {}, {}};
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
  if (verb == "start") return reply(client, start(request));
  if (verb == "launch") return reply(client, launch(request));
  if (verb == "launched") return reply(client, launched(request, client));
  if (verb == "cancel") return reply(client, cancel());
  if (verb != "stop" && verb != "shutdown" && verb != "exited")
    return reply(client, failure("unknown command " + verb));
  Client waiting = std::move(clients_.extract(fd).mapped());
  loop_.forget(fd);
  if (verb == "stop") return stop(request, std::move(waiting));
  if (verb == "shutdown") return shut_down(request, std::move(waiting));
  program_exited(request, std::move(waiting));
}

Message InteractiveSession::describe() const {
  constexpr const char* kNames[] = {"Launched", "Started", "Collection", "Shutdown"};
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
                      {"programs", programs}};
  if (collection_) description["output"] = collection_->output;
  return description;
}

Message InteractiveSession::start(const Message& request) {
  if (collection_)
    return failure(collection_->has_begun
                       ? "the session " + name_ + " is collecting already; prof stop ends that"
                       : "the session " + name_ +
                             " has been started already, and waits for prof launch");
  const InFolder folder(text_of(request, "folder"));
  SessionOptions options = options_;
  options.cpu = {};
  options.warnings.clear();
  options.overwrite = false;
  const std::string nvtx_range = options_.ranges.nvtx_range;
  const std::string nvtx_domain = options_.ranges.nvtx_domain;
  options.ranges = {};
  options.ranges.nvtx_range = nvtx_range;
  options.ranges.nvtx_domain = nvtx_domain;
  if (const Status read = hooks_.read_start(words_of(request), options); !read)
    return failure(read.error().message);
  options_ = std::move(options);
  collection_ = Collection{.output = text_of(request, "output"),
                           .words = words_of(request),
                           .stop_on_exit = options_.stop_on_exit};
  if (server_ == nullptr || programs_.empty()) {
    std::error_code error;
    if (options_.overwrite || !std::filesystem::exists(collection_->output, error))
      return {{"status", 0}};
    const std::string output = collection_->output;
    collection_.reset();
    return failure(output + " exists; use -f true to replace it, or another name with -o");
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
  if (server_ == nullptr) {
    SessionOptions options = options_;
    options.warnings.clear();
    if (const Status read = hooks_.read_launch(words_of(request), options); !read)
      return failure(read.error().message);
    options.features &= request.value("features", ~std::uint32_t{0});
    options.command = request.at("command").get<Words>();
    launch_warnings_ = std::exchange(options.warnings, options_.warnings);
    options_ = std::move(options);
    if (const Status prepared = prepare_session(); !prepared)
      return failure(prepared.error().message);
  } else {
    SessionOptions other = options_;
    if (const Status read = hooks_.read_launch(words_of(request), other); !read)
      return failure(read.error().message);
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
  if (!collection_) return {{"status", 0}};
  if (collection_->has_begun) {
    if (kernel_) kernel_->cpu.add(sampler::waiting_process(pid));
    return {{"status", 0}};
  }
  if (const Status begun = begin_collection(); !begun) {
    collection_.reset();
    return failure(begun.error().message);
  }
  return {{"status", 0}};
}

void InteractiveSession::program_exited(const Message& request, Client client) {
  const pid_t pid = request.at("pid").get<pid_t>();
  exit_status_ = request.value("status", 0);
  for (Program& program : programs_)
    if (program.pid == pid) program.end();
  launchers_.push_back(std::move(client));
  last_scan_ = {};
}

Message InteractiveSession::cancel() {
  if (!collection_) return failure("the session " + name_ + " is not collecting");
  drop_collection();
  if (launches_ == 0) shutting_down_ = true;
  return {{"status", 0}};
}

void InteractiveSession::stop(const Message& request, Client client) {
  if (!collection_ || !collection_->has_begun)
    return reply(client, failure(collection_ ? "the session " + name_ +
                                                   " waits for prof launch: nothing has been "
                                                   "collected. prof cancel ends that"
                                             : "the session " + name_ + " is not collecting"));
  std::optional<std::chrono::nanoseconds> keep;
  if (const double seconds = request.value("keep", 0.0); seconds > 0)
    keep = std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  std::vector<Client> waiting;
  waiting.push_back(std::move(client));
  end_collection(keep, std::move(waiting));
}

void InteractiveSession::shut_down(const Message& request, Client client) {
  std::vector<Client> waiting;
  waiting.push_back(std::move(client));
  const bool collects = collection_ && collection_->has_begun;
  if (collects) end_collection({}, std::move(waiting));
  collection_.reset();
  shutting_down_ = true;
  const int signal = request.value("signal", 0);
  if (signal != 0)
    for (const pid_t pid : processes()) kill(pid, signal);
  answer_launchers();
  if (!collects) reply(waiting.front(), {{"status", 0}});
}

}  // namespace prof::session
