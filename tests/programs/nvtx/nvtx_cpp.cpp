// Uses the C++ client of NVTX, nvtx3.hpp.
#include <cstdint>
#include <cstdio>
#include <nvtx3/nvtx3.hpp>
#include <thread>

struct library {
  static constexpr char const* name{"cpp-library"};
};
struct io_category {
  static constexpr char const* name{"cpp-io"};
  static constexpr uint32_t id{11};
};
struct message_name {
  static constexpr char const* message{"registered in cpp"};
};

static void annotated() { NVTX3_FUNC_RANGE_IN(library); }

int main() {
  {
    nvtx3::scoped_range outer{"cpp outer"};
    nvtx3::scoped_range_in<library> inner{"cpp inner", nvtx3::rgb{0, 128, 255},
                                          nvtx3::named_category_in<library>::get<io_category>(),
                                          nvtx3::payload{std::int64_t{-42}}};
  }
  for (int i = 0; i < 5; ++i)
    nvtx3::scoped_range_in<library>{nvtx3::registered_string_in<library>::get<message_name>()};
  annotated();
  nvtx3::mark_in<library>("cpp mark");
  nvtx3::unique_range_in<library> moved{"cpp unique"};
  std::thread([range = std::move(moved)] {}).join();
  std::puts("{\"registered\": 5}");
  return 0;
}
