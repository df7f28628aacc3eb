// One connection: reads a request, has it answered, and so on until an end, an error or a time
// limit.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "common/http/parser.hpp"

namespace prof::http {

struct Reply {
  int status = 200;
  std::string type;  // empty: no body
  std::string body;
  std::string_view cache_control = {};  // empty: as the fields of the service say
};

class Connection;

// What all connections of a server share.
struct Service {
  // Calls reply() once for the connection, at once or later. The head is valid during the call.
  std::function<void(const RequestHead& head, std::shared_ptr<Connection> connection)> answer;
  Fields fields;                        // of every reply, besides those about its content
  std::chrono::seconds read_limit{10};  // for a request's head, from the end of the reply before it
  int max_connections = 64;
  // A client has this time to become known, while others wait for the place of its connection.
  std::chrono::milliseconds patience{0};

  // Of the server.
  int connections = 0;
  std::function<void()> on_change = {};  // a connection has ended or waits for a request
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, Service& service);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read();
  // Writes the reply. Any thread may call it. It takes the pointer over, so that the connection
  // ends in the server's thread.
  static void reply(std::shared_ptr<Connection> connection, Reply reply);

  // Anybody can connect. A client that has shown that it may is known from then on.
  void set_known() { is_known_ = true; }
  // True if a new connection may take the place of this one.
  bool gives_way() const { return !is_known_ && is_idle_; }
  std::chrono::steady_clock::time_point begin() const { return begin_; }
  // Ends it at once.
  void drop() {
    is_idle_ = false;
    stream_.close();
  }
  // True if the client has gone. Any thread may ask while a request is being answered.
  bool is_abandoned();

 private:
  class Writing;

  void on_read(boost::beast::error_code error);
  void write(Reply reply);
  void close();

  boost::beast::tcp_stream stream_;
  Service& service_;
  boost::beast::flat_buffer buffer_;
  std::optional<RequestParser> parser_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool is_known_ = false;
  bool is_idle_ = true;     // waits for a request
  bool wants_body_ = true;  // not for HEAD
  bool keeps_alive_ = false;
};

}  // namespace prof::http
