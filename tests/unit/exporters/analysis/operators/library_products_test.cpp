#include "exporters/analysis/operators/library_products.hpp"

#include <algorithm>

#include "exporters/analysis/operators/operator_model.hpp"
#include "tests/unit/exporters/analysis/operators/operator_fixture.hpp"

namespace prof::operators {
namespace {

// cudaDataType_t.
constexpr std::int64_t kR32F = 0, kR64F = 1, kR16F = 2, kC32F = 4, kR16BF = 14, kE4M3 = 28;

LibraryProduct product(ProductKind kind, const MatrixProduct& size, std::int64_t type) {
  return {.kind = kind,
          .size = size,
          .operation_a = 0,
          .operation_b = 0,
          .type_a = type,
          .type_b = type,
          .type_c = type,
          .compute = 0,
          .epilogue = 0,
          .is_a_shared = false,
          .is_b_shared = false};
}

TEST(LibraryProducts, WorkOfGeneralProducts) {
  const Work one = work_of(product(ProductKind::kGeneral, {10, 20, 30, 1}, kR16F));
  EXPECT_EQ(one.matrix_flops, 2 * 10 * 20 * 30);
  EXPECT_EQ(one.vector_flops, 0);
  EXPECT_EQ(one.bytes(ElementType::kUnknown), 2 * (300 + 600 + 200));
  EXPECT_EQ(one.product->n, 20);
  EXPECT_STREQ(one.category, "matrix product");
  LibraryProduct batch = product(ProductKind::kGeneral, {10, 20, 30, 4}, kR16F);
  EXPECT_EQ(work_of(batch).matrix_flops, 4 * 2 * 10 * 20 * 30);
  EXPECT_EQ(work_of(batch).bytes(ElementType::kUnknown), 4 * 2 * (300 + 600 + 200));
  batch.is_a_shared = true;
  EXPECT_EQ(work_of(batch).bytes(ElementType::kUnknown), 2 * (300 + 4 * 600 + 4 * 200));
}

TEST(LibraryProducts, TypesOfMatricesMayDiffer) {
  LibraryProduct each = product(ProductKind::kGeneral, {16, 16, 32, 1}, kE4M3);
  each.type_c = kR16BF;
  each.epilogue = 4 | 32;  // bias and GELU
  const Work work = work_of(each);
  EXPECT_EQ(work.bytes(ElementType::kFp8), 512 + 512 + 2 * (256 + 16));
  EXPECT_EQ(work.vector_flops, 2 * 256);
  EXPECT_EQ(type_of(each, ElementType::kUnknown), ElementType::kFp8);
  each.type_b = 99;
  EXPECT_EQ(work_of(each).bytes(ElementType::kFp8), std::nullopt);
}

TEST(LibraryProducts, ComplexNumbersAreFourRealProducts) {
  const Work work = work_of(product(ProductKind::kGeneral, {2, 3, 4, 1}, kC32F));
  EXPECT_EQ(work.matrix_flops, 8 * 2 * 3 * 4);
  EXPECT_EQ(work.bytes(ElementType::kFp32), 8 * (8 + 12 + 6));
}

TEST(LibraryProducts, WorkOfOtherKinds) {
  const auto flops = [](ProductKind kind, const MatrixProduct& size) {
    return work_of(product(kind, size, kR64F)).matrix_flops;
  };
  EXPECT_EQ(flops(ProductKind::kRankK, {5, 5, 7, 1}), 5 * 6 * 7);
  EXPECT_EQ(flops(ProductKind::kRankKx, {5, 5, 7, 1}), 5 * 6 * 7);
  EXPECT_EQ(flops(ProductKind::kRank2K, {5, 5, 7, 1}), 2 * 5 * 6 * 7);
  EXPECT_EQ(flops(ProductKind::kSymmetric, {4, 3, 4, 1}), 2 * 4 * 3 * 4);
  EXPECT_EQ(flops(ProductKind::kSolve, {4, 3, 4, 2}), 2 * 4 * 3 * 4);
  const Work vector = work_of(product(ProductKind::kVector, {8, 1, 9, 2}, kR32F));
  EXPECT_EQ(vector.matrix_flops, 0);
  EXPECT_EQ(vector.vector_flops, 2 * 2 * 8 * 9);
  EXPECT_EQ(vector.bytes(ElementType::kUnknown), 2 * 4 * (72 + 9 + 8));
  EXPECT_FALSE(vector.product);
}

TEST(LibraryProducts, ImpossibleSizesAreUnknown) {
  for (const std::int64_t size : {std::int64_t{-1}, std::int64_t{1} << 62}) {
    const Work work = work_of(product(ProductKind::kGeneral, {size, size, size, 1}, kR32F));
    EXPECT_EQ(work.matrix_flops, std::nullopt);
    EXPECT_FALSE(work.product);
  }
}

TEST(LibraryProducts, KernelsSayHowFp32IsMultiplied) {
  LibraryProduct each = product(ProductKind::kGeneral, {2, 3, 4, 1}, kR32F);
  EXPECT_EQ(type_of(each, ElementType::kUnknown), ElementType::kFp32);
  EXPECT_EQ(type_of(each, ElementType::kTf32), ElementType::kTf32);
  EXPECT_EQ(type_of(each, ElementType::kFp64), ElementType::kFp32);
  each.compute = 77;
  EXPECT_EQ(type_of(each, ElementType::kUnknown), ElementType::kTf32);
}

TEST(LibraryProducts, AreComparedWithOperators) {
  const LibraryProduct same = product(ProductKind::kGeneral, {16, 32, 64, 1}, kR16F);
  const LibraryProduct batch = product(ProductKind::kGeneral, {16, 32, 16, 4}, kR16F);
  const std::vector<Shape> shapes{{32, 64}, {64, 16}};
  const Work mm = work_of(OperatorArguments{.name = "aten::mm", .shapes = shapes});
  EXPECT_EQ(compare(mm, {&same}), Agreement::kAgrees);    // transposed: N x M
  EXPECT_EQ(compare(mm, {&batch}), Agreement::kDiffers);  // as many operations
  EXPECT_EQ(compare(mm, {&same, &same}), Agreement::kDiffers);
  EXPECT_EQ(compare(mm, {}), Agreement::kUnknown);
  EXPECT_EQ(compare(Work{.category = "matrix product"}, {&same}), Agreement::kUnknown);
  const std::vector<Shape> sizes{{32, 64}, {64}};
  const Work mv = work_of(OperatorArguments{.name = "aten::mv", .shapes = sizes});
  const LibraryProduct gemv = product(ProductKind::kVector, {32, 1, 64, 1}, kR16F);
  EXPECT_EQ(compare(mv, {&gemv}), Agreement::kAgrees);
}

// A report with calls of cuBLAS.
class LibraryProductsOfReport : public test::OperatorFixture {
 protected:
  LibraryProductsOfReport() {
    sql("INSERT INTO StringIds VALUES (50, 'cublasGemmEx'), (51, 'cublasLtMatmul'),"
        "(52, 'cusolverDnDgetrf');"
        "CREATE TABLE CUBLAS_EVENTS (start, end, eventClass, globalTid, nameId, productId);"
        "CREATE TABLE CUSOLVER_EVENTS (start, end, eventClass, globalTid, nameId);"
        "CREATE TABLE PROF_MATRIX_PRODUCTS (id, kind, m, n, k, batchCount, operationA, operationB,"
        "typeA, typeB, typeC, computeType, epilogue, sharedA, sharedB);"
        "INSERT INTO PROF_MATRIX_PRODUCTS VALUES (1,0,16,32,64,1,1,0,2,2,2,68,NULL,0,0),"
        "(2,0,16,32,64,1,1,0,2,2,2,68,1,0,0), (3,0,8,8,8,1,0,0,14,14,0,68,NULL,0,0);");
  }
  void call(std::int64_t start, std::int64_t end, int name, const char* product,
            std::int64_t tid = kMain) {
    sql(fmt::format("INSERT INTO CUBLAS_EVENTS VALUES ({},{},29,{},{},{});", start, end,
                    test::global_id(kPid, tid), name, product));
  }
  OperatorModel model() {
    const auto file = reader();
    auto model = OperatorModel::read(file, events::RangeOf::kBoth);
    if (!model) ADD_FAILURE() << model.error().message;
    return std::move(*model);
  }
  static const OperatorCall& call_of(const OperatorModel& model, std::int64_t gpu_time) {
    const auto found = std::ranges::find(model.calls(), gpu_time, &OperatorCall::gpu_time);
    if (found == model.calls().end()) throw std::runtime_error("no such call");
    return *found;
  }
};

TEST_F(LibraryProductsOfReport, AreOperatorsWithoutPyTorch) {
  call(800, 830, 50, "1");
  call(805, 825, 51, "2");  // cuBLAS computes by cuBLASLt
  launch(kMain, 803, 3, "memset<float>");
  launch(kMain, 810, 10, "gemm_f16");
  launch(kMain, 820, 5, "splitKreduce_kernel");
  const OperatorModel model = this->model();
  const OperatorCall& call = call_of(model, 18);
  EXPECT_EQ(model.calls().size(), 1u);
  EXPECT_EQ(call.operations, 3);
  const Operator& gemm = model.operator_of(call);
  EXPECT_EQ(gemm.source, Source::kLibrary);
  EXPECT_TRUE(gemm.is_known());
  EXPECT_EQ(gemm.name, "cublasGemmEx");
  EXPECT_EQ(gemm.shapes, "[[16, 64], [64, 32]]");
  EXPECT_EQ(gemm.products, "TN 16 x 32 x 64");
  EXPECT_EQ(gemm.type, ElementType::kFp16);
  EXPECT_EQ(gemm.work.matrix_flops, 2 * 16 * 32 * 64);
  EXPECT_EQ(gemm.bytes, 2 * (16 * 64 + 64 * 32 + 16 * 32));
  EXPECT_EQ(gemm.agreement, Agreement::kUnknown);
}

TEST_F(LibraryProductsOfReport, CountWithinCallsWithoutProducts) {
  sql(fmt::format("INSERT INTO CUSOLVER_EVENTS VALUES (700,900,1001,{},52);",
                  test::global_id(kPid, kMain)));
  call(800, 830, 50, "1");
  call(840, 850, 50, "NULL");
  launch(kMain, 750, 7, "getrf<double>");
  launch(kMain, 810, 10, "gemm");
  launch(kMain, 845, 13, "other");
  const OperatorModel model = this->model();
  EXPECT_EQ(model.operator_of(call_of(model, 7)).name, "cusolverDnDgetrf");
  EXPECT_EQ(model.operator_of(call_of(model, 10)).name, "cublasGemmEx");
  EXPECT_EQ(model.operator_of(call_of(model, 13)).name, "cusolverDnDgetrf");
  EXPECT_FALSE(model.operator_of(call_of(model, 13)).is_known());
}

TEST_F(LibraryProductsOfReport, AreComparedWithPyTorch) {
  add_training_step();
  call(135, 160, 50, "1");             // in aten::addmm of [32, 64] x [64, 16]
  call(325, 335, 50, "3", kBackward);  // in aten::mm of [32, 16] x [16, 64]
  const OperatorModel model = this->model();
  const Operator& addmm = model.operator_of(call_of(model, 530));
  EXPECT_EQ(addmm.name, "aten::addmm");
  EXPECT_EQ(addmm.shapes, "[[16], [32, 64], [64, 16], [], []]");
  EXPECT_EQ(addmm.agreement, Agreement::kAgrees);
  EXPECT_EQ(addmm.products, "TN 16 x 32 x 64");
  const Operator& mm = model.operator_of(call_of(model, 400));
  EXPECT_EQ(mm.agreement, Agreement::kDiffers);
  EXPECT_EQ(mm.work.matrix_flops, 2 * 32 * 64 * 16);
  EXPECT_EQ(mm.type, ElementType::kBf16);
  EXPECT_EQ(model.operator_of(call_of(model, 450)).agreement, Agreement::kUnknown);
}

TEST_F(LibraryProductsOfReport, SayTheWorkOfOperatorsWithoutShapes) {
  op(kMain, 100, 200, "aten::linear, seq = 5");
  call(110, 120, 50, "1");
  call(130, 140, 50, "3");
  launch(kMain, 115, 20, "gemm");
  launch(kMain, 135, 30, "gemm");
  op(kMain, 300, 400, "aten::linear, seq = 6");
  call(310, 320, 50, "1");
  launch(kMain, 315, 40, "gemm");
  launch(kMain, 330, 60, "other");
  const OperatorModel model = this->model();
  const Operator& both = model.operator_of(call_of(model, 50));
  EXPECT_EQ(both.work.matrix_flops, 2 * 16 * 32 * 64 + 2 * 8 * 8 * 8);
  EXPECT_EQ(both.products, "2 products");
  EXPECT_EQ(both.bytes, 2 * (16 * 64 + 64 * 32 + 16 * 32) + 2 * 2 * 64 + 4 * 64);
  EXPECT_EQ(model.operator_of(call_of(model, 100)).work.matrix_flops, std::nullopt);
}

TEST_F(LibraryProductsOfReport, GraphsHaveThoseOfTheirCapture) {
  sql("CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start, end, globalTid, graphNodeId, "
      "originalGraphNodeId);");
  sql(fmt::format("INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (115,115,{},77,NULL);",
                  test::global_id(kPid, kMain)));
  call(110, 120, 50, "1");
  launch(kMain, 500, 10, "gemm");
  launch(kMain, 600, 20, "gemm");
  sql("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN graphNodeId DEFAULT 77;");
  const OperatorModel model = this->model();
  EXPECT_EQ(model.calls().size(), 2u);
  for (const std::int64_t time : {10, 20}) {
    const Operator& gemm = model.operator_of(call_of(model, time));
    EXPECT_EQ(gemm.name, "cublasGemmEx");
    EXPECT_EQ(gemm.work.matrix_flops, 2 * 16 * 32 * 64);
  }
}

}  // namespace
}  // namespace prof::operators
