/* A program and two libraries: three hidden NVTX function tables in one process. */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

void work_in_one(int count);
void work_in_two(int count);

int main(void) {
  nvtxRangePushA("main");
  work_in_one(10);
  work_in_two(20);
  nvtxRangePop();
  puts("{\"one\": 10, \"two\": 20}");
  return 0;
}
