#include "exporters/mcp/picture.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace prof::mcp {

namespace {

constexpr std::size_t kLaneHeight = 16;  // pixels
constexpr std::size_t kGap = 4;
constexpr std::size_t kMargin = 20;  // left of the lanes, for their numbers

using Color = std::array<std::uint8_t, 3>;
constexpr Color kBackground = {255, 255, 255};
constexpr Color kEmpty = {238, 238, 238};
constexpr Color kInk = {64, 64, 64};

Color color_of(const Lane& lane) {
  if (lane.kind == "kernels") return {46, 125, 50};
  if (lane.kind == "copies") return {230, 126, 34};
  return lane.kind == "ranges" ? Color{142, 68, 173} : Color{41, 98, 178};
}

// Three columns of five pixels for each digit, the top row in the lowest bits.
constexpr std::array<std::uint16_t, 10> kDigits = {0x7b6f, 0x749a, 0x73e7, 0x79e7, 0x49ed,
                                                   0x79cf, 0x7bcf, 0x4927, 0x7bef, 0x79ef};

class Picture {
 public:
  Picture(std::size_t width, std::size_t height) : width_(width), height_(height) {
    for (std::size_t i = 0; i < width * height; ++i)
      pixels_.insert(pixels_.end(), kBackground.begin(), kBackground.end());
  }
  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }

  void set(std::size_t x, std::size_t y, const Color& color) {
    if (x < width_ && y < height_) std::ranges::copy(color, pixels_.begin() + at(x, y));
  }

  void number(std::size_t x, std::size_t y, std::size_t number) {
    for (const char digit : std::to_string(number)) {
      for (std::size_t bit = 0; bit < 15; ++bit)
        if ((kDigits[static_cast<std::size_t>(digit - '0')] >> bit & 1) != 0)
          set(x + bit % 3, y + bit / 3, kInk);
      x += 4;
    }
  }

  // Returns the rows as PNG wants them: each after a filter byte.
  std::string rows() const {
    std::string rows;
    for (std::size_t y = 0; y < height_; ++y) {
      rows += '\0';
      rows.append(pixels_.begin() + at(0, y), pixels_.begin() + at(0, y + 1));
    }
    return rows;
  }

 private:
  std::ptrdiff_t at(std::size_t x, std::size_t y) const {
    return static_cast<std::ptrdiff_t>(3 * (y * width_ + x));
  }
  std::size_t width_;
  std::size_t height_;
  std::vector<std::uint8_t> pixels_;
};

void draw(const Lane& lane, std::size_t index, Picture& picture) {
  const std::size_t top = index * (kLaneHeight + kGap);
  picture.number(1, top + 5, index + 1);
  const Color full = color_of(lane);
  for (std::size_t bin = 0; bin < lane.use.size(); ++bin) {
    const double use = std::clamp(lane.use[bin], 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(std::ceil(use * kLaneHeight));
    for (std::size_t y = 0; y < kLaneHeight; ++y)
      picture.set(kMargin + bin, top + y, y >= kLaneHeight - filled ? full : kEmpty);
  }
}

std::string big_endian(std::size_t number) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 255);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const uLong sum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(data.size()) + body + big_endian(sum);
}

}  // namespace

base::Result<std::string> png_of(const std::vector<Lane>& lanes) {
  if (lanes.empty()) return base::fail("there is nothing to draw");
  Picture picture(kMargin + lanes.front().use.size(), lanes.size() * (kLaneHeight + kGap));
  for (std::size_t i = 0; i < lanes.size(); ++i) draw(lanes[i], i, picture);
  const std::string rows = picture.rows();
  uLongf size = compressBound(rows.size());
  std::string packed(size, '\0');
  if (compress(reinterpret_cast<Bytef*>(packed.data()), &size,
               reinterpret_cast<const Bytef*>(rows.data()), rows.size()) != Z_OK)
    return base::fail("cannot compress the picture: out of memory");
  packed.resize(size);
  // 8 bits of each colour, RGB, without interlacing.
  const std::string header =
      big_endian(picture.width()) + big_endian(picture.height()) + std::string("\x08\x02\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

}  // namespace prof::mcp
