// Runs a fuzz target without a fuzzing engine, with structured seeds and random mutations of them.
// Takes libFuzzer's -runs= and -seed=. Other arguments are files to run.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "common/wire/hash.hpp"
#include "common/wire/records.hpp"
#include "tests/fuzz/tiny_cubin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

template <class T>
void append(Bytes& bytes, const T& value) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(&value);
  bytes.insert(bytes.end(), at, at + sizeof value);
}

// One well-formed record of each type.
Bytes record_seed() {
  using prof::wire::RecordHeader;
  using prof::wire::RecordType;
  Bytes bytes;
  for (std::uint8_t type = 1; type <= 78; ++type) {
    append(bytes, RecordHeader{160, static_cast<RecordType>(type), 8, type == 2 ? 5U : 1U});
    for (std::uint64_t word = 0; word < 19; ++word) append(bytes, word * 0x0101010101 + type);
  }
  return bytes;
}

void append_block(Bytes& bytes, std::uint32_t kind, const Bytes& payload) {
  append(bytes, std::uint32_t{0x6b636c62});
  append(bytes, kind);
  append(bytes, std::uint64_t{payload.size()});
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  bytes.resize((bytes.size() + 7) & ~std::size_t{7});
}

// A small recording: notes, clocks, records.
Bytes spool_seed() {
  const std::string magic = "profspl1";
  Bytes bytes(magic.begin(), magic.end());
  for (
      const std::string note :
      {R"({"type":"session","tick_rate":1e9,"system":[["a",1,"b"]],"capture":[["c","d"]]})",
       R"({"type":"process","serial":16,"parent_serial":0,"pid":5,"own_pid":5,"time":1,"name":"x"})",
       R"({"type":"process_end","serial":16,"dropped":{"no_chunk":3}})",
       R"({"type":"stream","pid":5,"file":"f","content":"c"})",
       R"({"type":"diagnostic","severity":2,"text":"t"})", R"({"type":"end"})"})
    append_block(bytes, 1, Bytes(note.begin(), note.end()));
  for (std::uint64_t i = 0; i < 3; ++i) {
    Bytes clock;
    for (int j = 0; j < 3; ++j) append(clock, i * 1000);
    append_block(bytes, 2, clock);
  }
  Bytes piece;
  append(piece, std::uint32_t{16});
  append(piece, std::uint32_t{5});
  append(piece, std::uint64_t{1});
  append(piece, std::uint64_t{0});
  const Bytes records = record_seed();
  piece.insert(piece.end(), records.begin(), records.end());
  append_block(bytes, 3, piece);
  Bytes kernel;
  append(kernel, std::uint64_t{0});  // CPU
  for (std::uint8_t type = 1; type <= 6; ++type) {
    append(kernel, std::uint64_t{1000} + type);
    for (const std::uint32_t word : {5U, 6U, 59U, std::uint32_t{type}}) append(kernel, word);
    if (type == 5) kernel.insert(kernel.end(), 16, 'n');
  }
  append_block(bytes, 4, kernel);
  return bytes;
}

// A CIE and an FDE of .eh_frame with rules of each kind, after registers and a stack.
Bytes frames_seed() {
  Bytes bytes{0x03, 16};  // of the stack and the registers: numbers near code and stack alternate
  for (std::uint8_t i = 0; i < 16 + 17; ++i)
    bytes.insert(bytes.end(),
                 {static_cast<std::uint8_t>((i + 1) % 2), static_cast<std::uint8_t>(i * 8)});
  const Bytes cie = {20, 0,    0,  0, 0, 0,    0, 0, 1,    'z', 'R', 0,
                     1,  0x78, 16, 1, 0, 0x0c, 7, 8, 0x90, 1,   0,   0};
  bytes.insert(bytes.end(), cie.begin(), cie.end());
  Bytes rules = {0x41, 0x0e, 16,   0x86, 2,    0x43, 0x0d, 6, 0x41, 0x0a, 0x0c, 7,    8,    0x42,
                 0x0b, 0x42, 0x0f, 9,    0x77, 8,    0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x10,
                 3,    2,    0x77, 0,    0x42, 0x16, 6,    2, 0x77, 8,    0x42, 0x07, 16};
  rules.resize((rules.size() + 7) & ~std::size_t{7});
  append(bytes, static_cast<std::uint32_t>(21 + rules.size()));
  append(bytes, std::uint32_t{28});      // distance back to the CIE
  append(bytes, std::uint64_t{0x1000});  // start of the code
  append(bytes, std::uint64_t{0x400});   // length of the code
  bytes.push_back(0);
  bytes.insert(bytes.end(), rules.begin(), rules.end());
  append(bytes, std::uint32_t{0});
  return bytes;
}

// The contents of a jitdump after its header: unwinding information, a load, a move.
Bytes jit_dump_seed() {
  Bytes bytes;
  const auto record = [&](std::uint32_t type, const Bytes& body) {
    append(bytes, type);
    append(bytes, static_cast<std::uint32_t>(16 + body.size()));
    append(bytes, std::uint64_t{1});
    bytes.insert(bytes.end(), body.begin(), body.end());
  };
  const Bytes frames = {20,  0,   0,  0,   0, 0, 0, 0,  1,  'z', 'R', 0,    1, 0x78, 16, 1,    0x1b,
                        12,  7,   8,  144, 1, 0, 0, 24, 0,  0,   0,   0x1c, 0, 0,    0,  0xd0, 255,
                        255, 255, 16, 0,   0, 0, 0, 65, 14, 16,  0,   0,    0, 0,    0,  0};
  Bytes body;
  for (const std::uint64_t word : {frames.size() + 4, std::size_t{4}, std::size_t{0}})
    append(body, std::uint64_t{word});
  body.insert(body.end(), frames.begin(), frames.end());
  append(body, std::uint32_t{0});
  record(4, body);
  for (const std::uint32_t type : {0U, 1U}) {
    body.clear();
    for (const std::uint64_t word : {1, 0x1000, 0x1000, 16, 1}) append(body, word);
    if (type == 1) append(body, std::uint64_t{1});
    for (const char each : {'n', 'a', 'm', 'e', '\0'})
      body.push_back(static_cast<std::uint8_t>(each));
    record(type, body);
  }
  return bytes;
}

// A request as browsers send it.
Bytes request_seed() {
  const std::string text =
      "\x03GET /0123456789abcdef0123456789abcdef/api/tile?rows=1%2C2&level=7&index=-3&v=9 HTTP/1.1"
      "\r\nHost: localhost:4711\r\nConnection: keep-alive\r\nSec-Fetch-Site: same-origin\r\n"
      "Sec-Fetch-Mode: cors\r\nOrigin: http://localhost:4711\r\n\r\n";
  return {text.begin(), text.end()};
}

Bytes line_program_seed() {
  return {std::begin(prof::fuzz::kLineOpcodes), std::end(prof::fuzz::kLineOpcodes)};
}

Bytes cubin_seed() { return prof::fuzz::tiny_cubin(prof::fuzz::line_program(line_program_seed())); }

Bytes mutate(const Bytes& seed, std::mt19937_64& random) {
  Bytes bytes = seed;
  for (std::uint64_t edits = random() % 8; edits > 0 && !bytes.empty(); --edits) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<std::uint8_t>(random());
        break;
      case 1:
        bytes[at] ^= static_cast<std::uint8_t>(1U << (random() % 8));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3: {
        const std::uint32_t interesting[] = {0, 1, 7, 8, 0xff, 0xffff, 0x7fffffff, 0xffffffff};
        const std::uint32_t value = interesting[random() % 8];
        if (at + 4 <= bytes.size()) std::memcpy(&bytes[at], &value, 4);
        break;
      }
      default:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin(),
                     bytes.begin() + static_cast<std::ptrdiff_t>(at));
        break;
    }
  }
  return bytes;
}

Bytes noise(std::mt19937_64& random) {
  Bytes bytes(random() % 300);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

}  // namespace

int main(int count, char** words) {
  long runs = 10000;
  unsigned long seed = 1;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word.rfind("-runs=", 0) == 0) {
      runs = std::atol(word.c_str() + 6);
    } else if (word.rfind("-seed=", 0) == 0) {
      seed = std::strtoul(word.c_str() + 6, nullptr, 10);
    } else {
      std::ifstream file(word, std::ios::binary);
      const Bytes bytes{std::istreambuf_iterator<char>(file), {}};
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      runs = 0;
    }
  }
  std::mt19937_64 random(seed);
  const Bytes seeds[] = {record_seed(),  spool_seed(),        frames_seed(), jit_dump_seed(),
                         request_seed(), line_program_seed(), cubin_seed()};
  for (long run = 0; run < runs; ++run) {
    const Bytes bytes =
        run % 8 == 7 ? noise(random) : mutate(seeds[run % std::size(seeds)], random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%ld runs\n", runs);
  return 0;
}
