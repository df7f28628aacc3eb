// Compresses output in the gzip format.
#pragma once

#include <zlib.h>

#include <string_view>

#include "exporters/formats/output.hpp"

namespace prof::formats {

class Gzip {
 public:
  static constexpr int kUsual = 6;  // zlib's default level
  static constexpr int kFast = 1;

  explicit Gzip(const Output& output, int level = kUsual);
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip();

  base::Status write(std::string_view bytes) { return pack(bytes, Z_NO_FLUSH); }
  // Writes the rest. Must be called once, at the end.
  base::Status finish() { return pack({}, Z_FINISH); }

 private:
  base::Status pack(std::string_view bytes, int flush);

  const Output& output_;
  z_stream stream_{};
  bool ready_;
};

}  // namespace prof::formats
