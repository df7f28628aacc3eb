// One connection: reads a request, passes it to the service, and repeats this until an end, an
// error or a time limit.
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
  std::string_view cache_control = {};  // empty: the value in Service::fields
  std::string_view encoding = {};       // "gzip" if the body is compressed
};

class Connection;

// The data that all connections of a server share.
struct Service {
  // Answers a request by one call of reply(), at once or later. The head is valid during the call.
  std::function<void(const RequestHead& head, std::shared_ptr<Connection> connection)> answer;
  Fields fields;                        // in every reply, besides the fields about its content
  std::chrono::seconds read_limit{10};  // for a request's head, from the end of the previous reply
  int max_connections = 64;
  // The time that a client has to become known while others wait for the place of its connection.
  std::chrono::milliseconds patience{0};

  // State of the server.
  int connections = 0;
  std::function<void()> on_change = {};  // called when a connection ends or waits for a request
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, Service& service);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read();
  // Writes the reply. Any thread may call it. It takes over the pointer, so that the connection
  // ends in the server's thread.
  static void reply(std::shared_ptr<Connection> connection, Reply reply);

  // Marks the client as known. Anybody can connect; the service marks clients that have shown that
  // they are allowed to.
  void set_known() { is_known_ = true; }
  // True if a new connection may take the place of this one.
  bool gives_way() const { return !is_known_ && is_idle_; }
  std::chrono::steady_clock::time_point begin() const { return begin_; }
  // Ends the connection at once.
  void drop() {
    is_idle_ = false;
    stream_.close();
  }
  // True if the client has gone. Any thread may ask this while a request is being answered.
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
