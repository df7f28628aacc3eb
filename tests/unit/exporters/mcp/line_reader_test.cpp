// Lines of a client, and what it cancels.
#include "exporters/mcp/line_reader.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <istream>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <thread>
#include <vector>

#include "exporters/mcp/protocol.hpp"

namespace prof::mcp {
namespace {

class Input : public std::streambuf {
 public:
  explicit Input(int descriptor) : descriptor_(descriptor) {}

 protected:
  int_type underflow() override {
    const ssize_t size = read(descriptor_, buffer_, sizeof buffer_);
    if (size <= 0) return traits_type::eof();
    setg(buffer_, buffer_, buffer_ + size);
    return traits_type::to_int_type(buffer_[0]);
  }

 private:
  int descriptor_;
  char buffer_[4096] = {};
};

// What a LineReader reads. Its thread may outlive a test, so this object is kept.
struct Stream {
  explicit Stream(int descriptor) : input(descriptor), stream(&input) {}
  Input input;
  std::istream stream;
};

std::istream& kept_stream(int descriptor) {
  static auto& streams = *new std::vector<std::unique_ptr<Stream>>;
  return streams.emplace_back(std::make_unique<Stream>(descriptor))->stream;
}

class LineReaderTest : public ::testing::Test {
 protected:
  LineReaderTest() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0);
    lines_.emplace(kept_stream(ends_[0]));
  }
  ~LineReaderTest() override { close(ends_[1]); }

  void send(const std::string& line) {
    EXPECT_EQ(write(ends_[1], (line + '\n').c_str(), line.size() + 1),
              static_cast<ssize_t>(line.size() + 1));
  }
  void cancel(const std::string& id) {
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + id +
         "}}");
  }
  void end() { shutdown(ends_[1], SHUT_WR); }

  std::string next() {
    line_ = lines_->next();
    return line_ ? line_->text : "end";
  }
  static std::string request(const std::string& id) { return R"({"id":)" + id + "}"; }

  int ends_[2] = {};
  std::optional<LineReader> lines_;
  std::optional<LineReader::Line> line_;
};

TEST_F(LineReaderTest, LinesComeInTheirOrder) {
  for (const char* each : {"one", "", "two", "three"}) send(each);
  end();
  EXPECT_EQ(next(), "one");
  EXPECT_EQ(next(), "two");
  EXPECT_EQ(next(), "three");
  EXPECT_EQ(next(), "end");
}

TEST_F(LineReaderTest, ARequestThatIsAnsweredIsAskedToStop) {
  send(request("7"));
  EXPECT_EQ(next(), request("7"));
  EXPECT_FALSE(line_->stop.stop_requested());
  cancel("8");
  cancel("\"7\"");  // a text is another id than a number
  cancel("7");
  while (!line_->stop.stop_requested()) std::this_thread::yield();
  send(request("7"));
  EXPECT_EQ(next(), request("7"));
  EXPECT_FALSE(line_->stop.stop_requested());
  end();
  EXPECT_EQ(next(), "end");
}

TEST_F(LineReaderTest, ARequestThatWaitsIsNotAnswered) {
  send(request("1"));
  EXPECT_EQ(next(), request("1"));
  for (const char* id : {"2", "3"}) send(request(id));
  cancel("2");
  cancel("4");
  cancel("1");  // the last line: the lines before it have been read when it stops the first one
  while (!line_->stop.stop_requested()) std::this_thread::yield();
  end();
  EXPECT_EQ(next(), request("3"));
  EXPECT_EQ(next(), "end");
}

TEST(CancelledId, IsThatOfANotification) {
  const std::string method = R"({"jsonrpc":"2.0","method":"notifications/cancelled")";
  EXPECT_EQ(cancelled_id(method + R"(,"params":{"requestId":"a"}})"), Object("a"));
  EXPECT_EQ(cancelled_id(method + R"(,"params":{"requestId":-3}})"), Object(-3));
  for (const char* rest : {"}", R"(,"params":{}})", R"(,"params":[]})", R"(,"params":3})",
                           R"(,"params":{"requestId":1.5}})", R"(,"params":{"requestId":{}}})",
                           R"(,"id":1,"params":{"requestId":1}})", ""})
    EXPECT_FALSE(cancelled_id(method + rest)) << rest;
  EXPECT_FALSE(cancelled_id(R"("cancelled")"));
  EXPECT_FALSE(cancelled_id(R"({"method":"ping","params":{"requestId":1,"cancelled":1}})"));
}

}  // namespace
}  // namespace prof::mcp
