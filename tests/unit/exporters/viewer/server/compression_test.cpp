// Which clients get compressed replies, and which replies are compressed.
#include "exporters/viewer/server/compression.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <string>

namespace prof::view {
namespace {

bool accepts(std::string_view value) {
  return accepts_gzip({"GET", "/", {{"Accept-Encoding", value}}});
}

TEST(Compression, ClientsThatReadGzip) {
  for (const char* value :
       {"gzip", "GZIP", "deflate, gzip", "br;q=1.0, gzip;q=0.8", " gzip ; q=0.01"})
    EXPECT_TRUE(accepts(value)) << value;
  for (const char* value : {"", "br", "gzip;q=0", "gzip;q=0.000", "x-gzip", "identity, gzipped"})
    EXPECT_FALSE(accepts(value)) << value;
  EXPECT_FALSE(accepts_gzip({"GET", "/", {}}));
}

std::string unpacked(const http::Reply& reply, std::size_t bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  std::string body = reply.body;
  std::string result(bytes, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(body.data());
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  inflateEnd(&stream);
  return result;
}

TEST(Compression, BodyIsTheSameAfterwards) {
  std::string body;
  for (int i = 0; i < 10'000; ++i) body += "{\"row\":" + std::to_string(i) + "},";
  http::Reply reply{200, "application/json", body};
  compress(reply);
  EXPECT_EQ(reply.encoding, "gzip");
  EXPECT_LT(reply.body.size(), body.size() / 2);
  EXPECT_EQ(unpacked(reply, body.size()), body);
}

TEST(Compression, ShortAndRandomBodiesStay) {
  http::Reply shortest{200, "application/json", "{}"};
  compress(shortest);
  EXPECT_EQ(shortest.encoding, "");
  EXPECT_EQ(shortest.body, "{}");
  std::string noise;
  std::uint32_t state = 1;
  for (int i = 0; i < 5000; ++i)
    noise += static_cast<char>((state = state * 1'664'525 + 1'013'904'223) >> 24);
  http::Reply random{200, "application/octet-stream", noise};
  compress(random);
  EXPECT_EQ(random.encoding, "");
  EXPECT_EQ(random.body, noise);
}

}  // namespace
}  // namespace prof::view
