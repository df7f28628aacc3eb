// An HTTP server that answers GET and HEAD.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "common/http/connection.hpp"

namespace prof::http {

class Server {
 public:
  explicit Server(Service service);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens at an address. Several calls add several addresses. A child that calls exec does not
  // inherit the sockets.
  boost::system::error_code listen(const boost::asio::ip::tcp::endpoint& endpoint);
  // Returns the port of the first address.
  std::uint16_t port() const { return listeners_.front().acceptor.local_endpoint().port(); }
  // Answers requests until stop(), in this thread.
  void run();
  void stop() { io_.stop(); }

  boost::asio::io_context& io() { return io_; }

 private:
  struct Listener {
    explicit Listener(boost::asio::io_context& io) : acceptor(io), pause(io) {}
    boost::asio::ip::tcp::acceptor acceptor;
    boost::asio::steady_timer pause;
    bool waits = false;  // waits for the place of a connection
    std::optional<boost::asio::ip::tcp::socket> accepted = {};  // has no place yet
  };

  void accept(Listener& listener);
  void accept_at(Listener& listener, std::chrono::steady_clock::time_point time);
  void add(boost::asio::ip::tcp::socket socket);
  void accept_waiting();
  std::shared_ptr<Connection> oldest_that_gives_way();

  Service service_;  // declared first, because connections can end when io_ is destroyed
  std::list<std::weak_ptr<Connection>> connections_;  // the oldest first; some have ended
  boost::asio::io_context io_{1};
  std::list<Listener> listeners_;
};

}  // namespace prof::http
