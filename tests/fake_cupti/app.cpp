// fake_cuda_app: a CUDA program without a GPU. modes.hpp lists what it does.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "modes.hpp"

int main(int argc, char** argv) {
  const auto is = [&](const char* mode, int arguments) {
    return argc == arguments + 1 && std::strcmp(argv[1], mode) == 0;
  };
  fake::Json answer;
  if (is("work", 1)) {
    answer = fake::work();
  } else if (is("replay", 2)) {
    answer = fake::replay(argv[2]);
  } else if (is("waits", 1)) {
    answer = fake::waits();
  } else if (is("serve", 2)) {
    answer = fake::serve(std::atof(argv[2]), false);
  } else if (is("migrate", 2)) {
    answer = fake::serve(std::atof(argv[2]), true);
  } else if (is("obey", 1)) {
    answer = fake::obey();
  } else if (is("kernels", 4)) {
    answer = fake::many_kernels(std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
  } else if (is("samples", 3)) {
    answer = fake::samples(std::atoi(argv[2]), argv[3]);
  } else if (is("exit", 2)) {
    return fake::end_by(argv[2]);
  } else {
    std::fputs(
        "usage: fake_cuda_app work | waits | serve SECONDS | migrate SECONDS | obey |\n"
        "                     replay FILE | kernels NUMBER BATCH MS | exit ENDING |\n"
        "                     samples ROUNDS ENDING\n",
        stderr);
    return 2;
  }
  std::puts(answer.dump().c_str());
  return 0;
}
