#include "collector/session/flight/snapshot_server.hpp"

#include <unistd.h>

#include <memory>
#include <utility>

namespace prof::session {

FlightRecorder::Request snapshot_request(const Message& message,
                                         std::vector<base::UniqueFd>& descriptors) {
  FlightRecorder::Request request;
  request.output = message.value("output", std::string());
  request.overwrite = message.value("overwrite", false);
  if (!descriptors.empty()) request.out = std::move(descriptors[0]);
  if (descriptors.size() > 1) request.error = std::move(descriptors[1]);
  return request;
}

SnapshotServer::SnapshotServer(SessionSocket socket, std::string name, const EventLoop& loop,
                               FlightRecorder& flight, std::string output)
    : socket_(std::move(socket)),
      name_(std::move(name)),
      loop_(loop),
      flight_(flight),
      output_(std::move(output)) {
  loop_.watch(socket_.fd());
}

bool SnapshotServer::handle(int fd) {
  if (fd == socket_.fd())
    accept_client();
  else if (clients_.contains(fd))
    serve(fd);
  else
    return false;
  return true;
}

void SnapshotServer::accept_client() {
  auto peer = accept_peer(socket_.fd());
  if (!peer) return;
  const int fd = peer->connection.get();
  loop_.watch(fd);
  clients_[fd] = std::move(peer->connection);
}

Message SnapshotServer::describe() const {
  const auto age =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_);
  return {{"status", 0},    {"name", name_},          {"id", getpid()}, {"state", "Collection"},
          {"flight", true}, {"seconds", age.count()}, {"launches", 1},  {"output", output_}};
}

void SnapshotServer::serve(int fd) {
  auto received = receive_message(fd);
  if (!received) {
    clients_.erase(fd);
    return;
  }
  const Message& content = received->content;
  try {
    const std::string verb = content.value("verb", std::string());
    if (verb == "describe") {
      static_cast<void>(send_message(fd, describe()));
      return;
    }
    if (verb != "snapshot") {
      static_cast<void>(
          send_message(fd, {{"status", 1},
                            {"message", "the session " + name_ +
                                            " is one of prof profile, which only prof "
                                            "snapshot works with"}}));
      return;
    }
    auto request = snapshot_request(content, received->descriptors);
    // The answer is sent when the report is complete.
    loop_.forget(fd);
    auto connection = std::make_shared<base::UniqueFd>(std::move(clients_.extract(fd).mapped()));
    request.done = [connection](int status, const std::string& output) {
      static_cast<void>(send_message(connection->get(), {{"status", status}, {"output", output}}));
    };
    flight_.request(std::move(request));
  } catch (const Message::exception& error) {
    static_cast<void>(send_message(
        fd, {{"status", 1},
             {"message", std::string("not a command of this version: ") + error.what()}}));
  }
}

}  // namespace prof::session
