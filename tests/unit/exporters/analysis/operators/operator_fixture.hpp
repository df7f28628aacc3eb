// A report of a training step of PyTorch, with the ranges that emit_nvtx makes.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::test {

class OperatorFixture : public ReportFixture {
 protected:
  static constexpr std::int64_t kPid = 9;
  static constexpr std::int64_t kMain = 9;
  static constexpr std::int64_t kBackward = 10;  // a thread of the autograd engine

  OperatorFixture() {
    create_api();
    create_kernels();
    create_ranges();
    sql("INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'PyTorch', NULL, " +
        std::to_string(global_id(kPid, kMain)) + ", 1, NULL);");
  }

  void add_gpu(int major, int minor, int multiprocessors) {
    sql(
        fmt::format("CREATE TABLE TARGET_INFO_GPU (cuDevice, computeMajor, computeMinor, smCount, "
                    "name, clockRate, memoryBandwidth); INSERT INTO TARGET_INFO_GPU VALUES "
                    "(0,{},{},{},'NVIDIA H100 80GB HBM3',1980000000,3352320000000);",
                    major, minor, multiprocessors));
  }
  // A range of the default domain.
  void op(std::int64_t tid, std::int64_t start, std::int64_t end, const std::string& text) {
    range(tid, start, end, text, 0);
  }
  // A range of --pytorch=functions-trace.
  void module(std::int64_t tid, std::int64_t start, std::int64_t end, const std::string& text) {
    range(tid, start, end, text, 1);
  }
  // A range of XLA.
  void xla(std::int64_t tid, std::int64_t start, std::int64_t end, const std::string& text) {
    range(tid, start, end, text, 2);
  }
  // A launch of `duration` ns at `time`, and its kernel 1,000 ns later. Returns the correlation id.
  std::int64_t launch(std::int64_t tid, std::int64_t time, std::int64_t duration,
                      const std::string& kernel) {
    const std::int64_t id = ++launches_;
    sql(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({},{},0,{},{},1,0,NULL);",
                    time, time + 1, global_id(kPid, tid), id));
    add_kernel_named(time + 1000, duration, id, kernel);
    return id;
  }
  void add_kernel_named(std::int64_t start, std::int64_t duration, std::int64_t correlation,
                        const std::string& kernel) {
    const std::int64_t name = 100 + ++names_;
    sql(
        fmt::format("INSERT INTO StringIds VALUES ({},'{}');"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                    "({},{},0,1,7,{},{},{},3,16,1,1,1,64,1,1,0,0);",
                    name, kernel, start, start + duration, correlation, global_id(kPid, 0), name));
  }

  // A linear layer [32, 64] x [64, 16], its backward pass, and a step of an optimizer.
  void add_training_step() {
    module(kMain, 100, 200, "Net.forward");
    module(kMain, 110, 190, "Linear.forward");
    op(kMain, 120, 180, "aten::linear, seq = 5, op_id = 1, sizes = [[32, 64], [16, 64], [16]]");
    op(kMain, 125, 128, "aten::t, seq = 5, op_id = 2, sizes = [[16, 64]]");
    op(kMain, 130, 170,
       "aten::addmm, seq = 6, op_id = 3, sizes = [[16], [32, 64], [64, 16], [], []]");
    launch(kMain, 140, 500, "ampere_fp16_s16816gemm_fp16_64x64_tn");
    launch(kMain, 150, 30, "void cublasLt::splitKreduce_kernel<float>(int)");
    op(kBackward, 300, 400, "autograd::engine::evaluate_function: AddmmBackward0, op_id = 10");
    op(kBackward, 310, 390, "AddmmBackward0, seq = 6, op_id = 11, sizes = [[32, 16]]");
    op(kBackward, 320, 340, "aten::mm, op_id = 12, sizes = [[32, 16], [16, 64]]");
    launch(kBackward, 330, 400, "ampere_fp16_s16816gemm_fp16_64x64_nn");
    op(kBackward, 350, 370, "aten::mm, op_id = 13, sizes = [[16, 32], [32, 64]]");
    launch(kBackward, 360, 450, "ampere_fp16_s16816gemm_fp16_64x64_nt");
    op(kMain, 500, 600, "Optimizer.step#SGD.step, op_id = 20");
    op(kMain, 510, 590, "aten::_fused_sgd_, op_id = 21, sizes = [[16, 64], [16, 64], []]");
    launch(kMain, 520, 70, "multi_tensor_apply_kernel<float>");
    launch(kMain, 700, 11, "mine<float>");                    // outside of all ranges
    add_kernel_named(5000, 3, 999, "unknown launch<float>");  // its call was not recorded
  }

 private:
  void range(std::int64_t tid, std::int64_t start, std::int64_t end, const std::string& text,
             int domain) {
    sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({},{},59,'{}',NULL,{},{},NULL);", start, end,
                    text, global_id(kPid, tid), domain));
  }
  std::int64_t launches_ = 0;
  std::int64_t names_ = 0;
};

}  // namespace prof::test
