#include "exporters/viewer/server/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <csignal>
#include <list>
#include <memory>
#include <optional>

#include "exporters/viewer/server/session.hpp"

namespace prof::view {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {

constexpr int kMostConnections = 64;
// With that many others wait in the kernel. It keeps this number of them.
constexpr int kMostWaiting = 128;
constexpr std::chrono::milliseconds kPause{100};
// For the token, while others wait for the place of the connection.
constexpr std::chrono::milliseconds kPatience{250};

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

class HttpServer final : public Server {
 public:
  HttpServer(const ServerOptions& options, const Answers& answers)
      : service_{{0, options.token, options.allowed_hosts}, answers, pools_} {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      if (!is_ignored(signal)) signals_.add(signal);
    signals_.async_wait([this](ErrorCode error, int) {
      if (!error) io_.stop();
    });
  }

  ErrorCode listen(std::uint16_t port);
  std::uint16_t port() const override { return service_.address.port; }
  void run() override;

 private:
  // Accepts connections of one address.
  struct Door {
    explicit Door(asio::io_context& io) : acceptor(io), pause(io) {}
    tcp::acceptor acceptor;
    asio::steady_timer pause;
    bool waits = false;
  };

  ErrorCode open(Door& door, const tcp::endpoint& endpoint);
  void accept(Door& door);
  void accept_at(Door& door, std::chrono::steady_clock::time_point time);
  void on_accepted(Door& door, ErrorCode error, tcp::socket socket);
  void on_session_end();
  std::shared_ptr<Session> oldest_stranger();

  asio::io_context io_{1};
  asio::signal_set signals_{io_};
  Service service_;
  Door ipv4_{io_};
  Door ipv6_{io_};
  int connections_ = 0;
  std::list<std::weak_ptr<Session>> strangers_;  // the oldest first; some have become known
  // Sessions can end after this object, with io_.
  std::shared_ptr<HttpServer*> self_ = std::make_shared<HttpServer*>(this);
  WorkerPools pools_;  // last: its destructor waits for the answers in progress
};

ErrorCode HttpServer::open(Door& door, const tcp::endpoint& endpoint) {
  ErrorCode error;
  tcp::acceptor& acceptor = door.acceptor;
  if (acceptor.open(endpoint.protocol(), error)) return error;
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (endpoint.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only(true), error);
  if (acceptor.bind(endpoint, error)) return error;
  acceptor.listen(kMostWaiting, error);
  return error;
}

// A browser can try either address for "localhost". If another user's program had the port at one
// of them, it would learn the token.
ErrorCode HttpServer::listen(std::uint16_t port) {
  if (const ErrorCode error = open(ipv4_, {asio::ip::address_v4::loopback(), port})) return error;
  service_.address.port = ipv4_.acceptor.local_endpoint().port();
  const ErrorCode error = open(ipv6_, {asio::ip::address_v6::loopback(), service_.address.port});
  if (error) {
    ErrorCode ignored;
    ipv6_.acceptor.close(ignored);
    if (error == asio::error::address_in_use) ipv4_.acceptor.close(ignored);
  }
  // All other errors mean that the machine has no IPv6.
  return error == asio::error::address_in_use ? error : ErrorCode();
}

void HttpServer::run() {
  accept(ipv4_);
  if (ipv6_.acceptor.is_open()) accept(ipv6_);
  io_.run();
}

// Of the connections that have not sent the token. Another user of the machine can have any number
// of them.
std::shared_ptr<Session> HttpServer::oldest_stranger() {
  while (!strangers_.empty()) {
    const auto session = strangers_.front().lock();
    if (session != nullptr && !session->is_known()) return session;
    strangers_.pop_front();
  }
  return nullptr;
}

// If there are many connections, a new one takes the place of the oldest stranger.
void HttpServer::accept(Door& door) {
  door.waits = false;
  if (connections_ >= kMostConnections) {
    const auto stranger = oldest_stranger();
    door.waits = stranger == nullptr;
    if (door.waits) return;
    const auto due = stranger->begin() + kPatience;
    if (due > std::chrono::steady_clock::now()) return accept_at(door, due);
  }
  door.acceptor.async_accept([this, &door](ErrorCode error, tcp::socket socket) {
    on_accepted(door, error, std::move(socket));
  });
}

void HttpServer::on_accepted(Door& door, ErrorCode error, tcp::socket socket) {
  if (!error) {
    const auto stranger = connections_ >= kMostConnections ? oldest_stranger() : nullptr;
    if (stranger != nullptr) {
      strangers_.pop_front();
      stranger->drop();
    }
    ++connections_;
    const auto ended = [server = std::weak_ptr(self_)] {
      if (const auto self = server.lock()) (*self)->on_session_end();
    };
    const auto session = std::make_shared<Session>(std::move(socket), service_, ended);
    strangers_.remove_if([](const std::weak_ptr<Session>& each) { return each.expired(); });
    strangers_.push_back(session);
    session->start();
    return accept(door);
  }
  // No descriptor is free, for example. That can pass.
  accept_at(door, std::chrono::steady_clock::now() + kPause);
}

void HttpServer::accept_at(Door& door, std::chrono::steady_clock::time_point time) {
  door.pause.expires_at(time);
  door.pause.async_wait([this, &door](ErrorCode stopped) {
    if (!stopped) accept(door);
  });
}

void HttpServer::on_session_end() {
  --connections_;
  for (Door* door : {&ipv4_, &ipv6_})
    if (door->waits) accept(*door);
}

}  // namespace

base::Result<std::unique_ptr<Server>> Server::listen(const ServerOptions& options,
                                                     const Answers& answers) try {
  // The kernel chooses a port for IPv4. Another program can have it for IPv6.
  constexpr int kMostTries = 20;
  ErrorCode error;
  for (int tries = 0; tries < kMostTries; ++tries) {
    auto server = std::make_unique<HttpServer>(options, answers);
    error = server->listen(options.port);
    if (!error) return server;
    if (options.port != 0 || error != asio::error::address_in_use) break;
  }
  if (error == asio::error::address_in_use)
    return base::fail("port " + std::to_string(options.port) +
                      " is in use; choose another one, or leave --port out");
  if (error == asio::error::access_denied)
    return base::fail("port " + std::to_string(options.port) +
                      " is reserved for administrators; choose one above 1023");
  return base::fail("cannot listen on 127.0.0.1: " + error.message());
} catch (const boost::system::system_error& error) {
  return base::fail(std::string("cannot wait for connections: ") + error.what());
}

}  // namespace prof::view
