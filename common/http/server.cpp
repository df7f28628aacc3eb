#include "common/http/server.hpp"

#include <fcntl.h>

#include <algorithm>
#include <utility>

namespace prof::http {

using boost::asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {

// The kernel holds this number of connections that wait to be accepted.
constexpr int kMaxWaiting = 128;
constexpr std::chrono::milliseconds kPause{100};

void close_on_exec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

}  // namespace

Server::Server(Service service) : service_(std::move(service)) {
  service_.on_change = [this] { accept_waiting(); };
}

Server::~Server() { service_.on_change = nullptr; }

ErrorCode Server::listen(const tcp::endpoint& endpoint) {
  ErrorCode error;
  Listener& listener = listeners_.emplace_back(io_);
  tcp::acceptor& acceptor = listener.acceptor;
  if (!acceptor.open(endpoint.protocol(), error)) {
    close_on_exec(acceptor.native_handle());
    acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!acceptor.bind(endpoint, error)) acceptor.listen(kMaxWaiting, error);
  }
  if (error) listeners_.pop_back();
  return error;
}

void Server::run() {
  for (Listener& listener : listeners_) accept(listener);
  io_.run();
}

// Another user of the machine may open any number of connections, so some give way.
std::shared_ptr<Connection> Server::oldest_that_gives_way() {
  for (const auto& each : connections_)
    if (auto connection = each.lock(); connection != nullptr && connection->gives_way())
      return connection;
  return nullptr;
}

// If there are many connections, a new one replaces the oldest one that gives way.
void Server::accept(Listener& listener) {
  listener.waits = false;
  if (service_.connections >= service_.max_connections) {
    const auto oldest = oldest_that_gives_way();
    listener.waits = oldest == nullptr;
    if (listener.waits) return;
    const auto due = oldest->begin() + service_.patience;
    if (due > std::chrono::steady_clock::now()) return accept_at(listener, due);
  }
  if (listener.accepted) add(*std::exchange(listener.accepted, std::nullopt));
  listener.acceptor.async_accept([this, &listener](ErrorCode error, tcp::socket socket) {
    // An error such as a lack of descriptors can pass, so the server tries again later.
    if (error) return accept_at(listener, std::chrono::steady_clock::now() + kPause);
    // Meanwhile, the connection that would have given way may have sent the token.
    listener.accepted = std::move(socket);
    accept(listener);
  });
}

void Server::add(tcp::socket socket) {
  close_on_exec(socket.native_handle());
  if (service_.connections >= service_.max_connections)
    if (const auto oldest = oldest_that_gives_way()) oldest->drop();
  connections_.remove_if([](const std::weak_ptr<Connection>& each) { return each.expired(); });
  const auto connection = std::make_shared<Connection>(std::move(socket), service_);
  connections_.push_back(connection);
  connection->read();
}

void Server::accept_at(Listener& listener, std::chrono::steady_clock::time_point time) {
  listener.pause.expires_at(time);
  listener.pause.async_wait([this, &listener](ErrorCode stopped) {
    if (!stopped) accept(listener);
  });
}

void Server::accept_waiting() {
  for (Listener& listener : listeners_)
    if (listener.waits) accept(listener);
}

}  // namespace prof::http
