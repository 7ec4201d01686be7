//===- ProductsTest.cpp - Layouts of matrix products ----------------------===//
//
// Row-major products by a library of columns, on the stand-in of test/CudaShim,
// against a plain loop: transposes, batches, strides, sums into C, empty sums.
//
//===----------------------------------------------------------------------===//

#include "ShimSession.h"

#include "partopt/Plan/ElementTypes.h"
#include "runtime/collectives/NarrowFloat.h"
#include "runtime/drivers/cuda/Products.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::rt;
using plan::ElementType;
using plan::GemmT;

namespace {

double load(ElementType type, const uint8_t *at) {
  uint16_t half;
  float narrow;
  double wide;
  std::memcpy(&half, at, sizeof(half));
  if (type == ElementType::BF16)
    return static_cast<double>(BF16::decode(half));
  if (type == ElementType::F16)
    return static_cast<double>(F16::decode(half));
  std::memcpy(&narrow, at, sizeof(narrow));
  if (type == ElementType::F32)
    return static_cast<double>(narrow);
  std::memcpy(&wide, at, sizeof(wide));
  return wide;
}

void store(ElementType type, uint8_t *at, double value) {
  auto narrow = static_cast<float>(value);
  auto put = [&](auto bits) { std::memcpy(at, &bits, sizeof(bits)); };
  if (type == ElementType::BF16)
    put(BF16::encode(narrow));
  else if (type == ElementType::F16)
    put(F16::encode(narrow));
  else if (type == ElementType::F32)
    put(narrow);
  else
    put(value);
}

/// A product in the memory of the stand-in, with small whole numbers, so that
/// every type is exact.
class Product {
public:
  explicit Product(const GemmT &shape)
      : shape(shape), size(plan::elementSize(shape.type)) {}

  void run() {
    StatusOr<const CudaApi *> api = CudaApi::get();
    ASSERT_TRUE(api.ok()) << api.status().message();
    auto gpu = Gpu::open(**api, 0);
    ASSERT_TRUE(gpu.ok() && (*gpu)->allocate(3 * part + 65536, "a test").ok());
    base = (*gpu)->memory();
    for (uint64_t i = 0; i < 3 * part / size; ++i)
      store(shape.type, base + i * size, static_cast<double>(i * 7 % 5) - 2);
    std::vector<uint8_t> before(base, base + 3 * part);
    Products products(**gpu, false);
    Status status = products.add(shape);
    ASSERT_TRUE(status.ok()) << status.message();
    auto stream = (*gpu)->addStream(false);
    ASSERT_TRUE(stream.ok());
    GemmCall call{&shape, base, base + part, base + 2 * part};
    status = products.multiply(call, base + 3 * part, *stream);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ((*api)->cuStreamSynchronize(*stream), CUDA_SUCCESS);
    compare(before);
    EXPECT_EQ(test::ShimControl::get().races(), 0u);
  }

private:
  double at(const std::vector<uint8_t> &memory, uint64_t operand,
            uint64_t element) const {
    return load(shape.type, &memory[operand * part + element * size]);
  }
  double expected(const std::vector<uint8_t> &m, uint64_t batch, uint64_t row,
                  uint64_t column) const {
    const GemmT &s = shape;
    double sum =
        s.accumulate ? at(m, 2, batch * s.stride_c + row * s.ldc + column) : 0;
    for (uint64_t k = 0; k < s.k; ++k)
      sum += at(m, 0,
                batch * s.stride_a +
                    (s.trans_a ? k * s.lda + row : row * s.lda + k)) *
             at(m, 1,
                batch * s.stride_b +
                    (s.trans_b ? column * s.ldb + k : k * s.ldb + column));
    return sum;
  }
  void compare(const std::vector<uint8_t> &before) const {
    for (uint64_t batch = 0; batch < shape.batch; ++batch)
      for (uint64_t row = 0; row < shape.m; ++row)
        for (uint64_t column = 0; column < shape.n; ++column) {
          uint64_t element = batch * shape.stride_c + row * shape.ldc + column;
          ASSERT_EQ(load(shape.type, base + 2 * part + element * size),
                    expected(before, batch, row, column))
              << plan::elementName(shape.type) << " batch " << batch << " ["
              << row << ", " << column << "]";
        }
  }

  static constexpr uint64_t part = 8192; ///< bytes of an operand
  const GemmT &shape;
  uint64_t size;
  uint8_t *base = nullptr;
};

GemmT shapeOf(ElementType type, bool transA, bool transB, uint64_t k) {
  GemmT shape;
  shape.type = type;
  shape.batch = 3;
  shape.m = 4;
  shape.n = 6;
  shape.k = k;
  shape.trans_a = transA;
  shape.trans_b = transB;
  shape.lda = (transA ? shape.m : std::max<uint64_t>(k, 1)) + 2;
  shape.ldb = (transB ? std::max<uint64_t>(k, 1) : shape.n) + 1;
  shape.ldc = shape.n + 3;
  shape.stride_a = 100;
  shape.stride_b = 120;
  shape.stride_c = 64;
  return shape;
}

TEST(Products, EveryLayoutOfEveryType) {
  test::ShimControl::get();
  for (ElementType type : {ElementType::F64, ElementType::F32,
                           ElementType::BF16, ElementType::F16})
    for (bool transA : {false, true})
      for (bool transB : {false, true})
        for (bool accumulate : {false, true})
          for (uint64_t k : {0, 1, 5}) {
            GemmT shape = shapeOf(type, transA, transB, k);
            shape.accumulate = accumulate;
            Product(shape).run();
          }
}

TEST(Products, TypesThatAreNotMultipliedAreRefused) {
  test::ShimControl::get();
  auto api = CudaApi::get();
  ASSERT_TRUE(api.ok());
  auto gpu = Gpu::open(**api, 0);
  ASSERT_TRUE(gpu.ok());
  GemmT shape = shapeOf(ElementType::I32, false, false, 5);
  Products products(**gpu, false);
  Status status = products.add(shape);
  EXPECT_EQ(status.code(), Code::BadInput);
  EXPECT_NE(status.message().find("3 x [4,5] [5,6] of i32"), std::string::npos)
      << status.message();
}

} // namespace
