// Kernels against plain C++: the semantics that a wrong loop would break, for
// sizes below, at and above a vector.
#include "CompiledKernels.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>

using namespace partopt;
using namespace partopt::test;

namespace {

/// For the host, and for the emulated GPU.
class Kernel : public testing::TestWithParam<const char *> {
protected:
  KernelObject compile(const std::string &text) {
    KernelContext context;
    auto module = context.parse(text);
    EXPECT_TRUE(module) << context.messages;
    CodegenOptions options;
    if (std::string(GetParam()) != "host")
      options.gpuArchs = {GetParam()};
    auto object = compileKernels(*module, options);
    EXPECT_TRUE(succeeded(object)) << context.messages;
    return succeeded(object) ? *object : KernelObject();
  }
};

INSTANTIATE_TEST_SUITE_P(Targets, Kernel,
                         testing::Values("host", kEmulatedGpu));

std::string tensor(size_t n) { return "tensor<" + std::to_string(n) + "xf32>"; }

TEST_P(Kernel, WritesEveryElementForEverySize) {
  for (size_t n : {0, 1, 7, 8, 33, 1000}) {
    LoadedKernels kernels(
        compile("func.func @k(%x: " + tensor(n) + ", %y: " + tensor(n) +
                ") -> " + tensor(n) + " attributes {partopt.kernel} {\n" +
                "  %0 = stablehlo.multiply %x, %y : " + tensor(n) + "\n" +
                "  %1 = stablehlo.subtract %0, %y : " + tensor(n) + "\n" +
                "  return %1 : " + tensor(n) + "\n}"));
    AlignedBuffer<float> x(n), y(n), out(n + 1);
    for (size_t i = 0; i < n; ++i) {
      x[i] = 0.5f * i;
      y[i] = 3.0f - i;
    }
    float guard = out[n];
    kernels.call("k", x, y, out);
    for (size_t i = 0; i < n; ++i)
      EXPECT_EQ(out[i], x[i] * y[i] - y[i]) << n << " " << i;
    EXPECT_EQ(llvm::bit_cast<uint32_t>(out[n]),
              llvm::bit_cast<uint32_t>(guard));
  }
}

TEST_P(Kernel, SoftmaxOfARow) {
  constexpr size_t rows = 3, columns = 37;
  LoadedKernels kernels(compile(R"(
func.func @k(%x: tensor<3x37xf32>) -> tensor<3x37xf32> attributes {partopt.kernel} {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x37xf32>, tensor<f32>) -> tensor<3xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<3xf32>) -> tensor<3x37xf32>
  %d = stablehlo.subtract %x, %mb : tensor<3x37xf32>
  %e = stablehlo.exponential %d : tensor<3x37xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x37xf32>, tensor<f32>) -> tensor<3xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<3xf32>) -> tensor<3x37xf32>
  %r = stablehlo.divide %e, %sb : tensor<3x37xf32>
  return %r : tensor<3x37xf32>
})"));
  AlignedBuffer<float> x(rows * columns), out(rows * columns);
  for (size_t i = 0; i < x.count; ++i)
    x[i] = std::sin(float(i)) * 20;
  kernels.call("k", x, out);
  for (size_t r = 0; r < rows; ++r) {
    double sum = 0, largest = -1e30;
    for (size_t c = 0; c < columns; ++c)
      largest = std::max<double>(largest, x[r * columns + c]);
    for (size_t c = 0; c < columns; ++c)
      sum += std::exp(x[r * columns + c] - largest);
    for (size_t c = 0; c < columns; ++c)
      EXPECT_NEAR(out[r * columns + c],
                  std::exp(x[r * columns + c] - largest) / sum, 1e-6);
  }
}

TEST_P(Kernel, MaximumKeepsNaN) {
  LoadedKernels kernels(compile(R"(
func.func @k(%x: tensor<40xf32>) -> tensor<f32> attributes {partopt.kernel} {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<40xf32>, tensor<f32>) -> tensor<f32>
  return %m : tensor<f32>
})"));
  AlignedBuffer<float> x(40), out(1);
  for (size_t i = 0; i < 40; ++i)
    x[i] = -float(i);
  kernels.call("k", x, out);
  EXPECT_EQ(out[0], 0.0f);
  x[23] = std::numeric_limits<float>::quiet_NaN();
  kernels.call("k", x, out);
  EXPECT_TRUE(std::isnan(out[0]));
}

TEST_P(Kernel, ScatterAddsDuplicatesAndDropsWhatIsOutside) {
  LoadedKernels kernels(compile(R"(
func.func @k(%x: tensor<3x2xf32>, %i: tensor<5x1xi32>, %u: tensor<5x2xf32>) -> tensor<3x2xf32> attributes {partopt.kernel} {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x2xf32>, tensor<5x1xi32>, tensor<5x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
})"));
  AlignedBuffer<float> x(6), updates(10), out(6);
  AlignedBuffer<int32_t> places(5);
  const int32_t at[] = {1, -1, 1, 3, 0};
  for (size_t i = 0; i < 6; ++i)
    x[i] = 100;
  for (size_t i = 0; i < 5; ++i) {
    places[i] = at[i];
    updates[2 * i] = i + 1;
    updates[2 * i + 1] = 10 * (i + 1);
  }
  kernels.call("k", x, places, updates, out);
  const float expected[] = {105, 150, 104, 140, 100, 100};
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(out[i], expected[i]) << i;
}

TEST_P(Kernel, GatherMovesStartsInside) {
  LoadedKernels kernels(compile(R"(
func.func @k(%x: tensor<4x2xf32>, %i: tensor<3x1xi32>) -> tensor<3x2xf32> attributes {partopt.kernel} {
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
})"));
  AlignedBuffer<float> x(8), out(6);
  AlignedBuffer<int32_t> places(3);
  for (size_t i = 0; i < 8; ++i)
    x[i] = i;
  places[0] = -5;
  places[1] = 2;
  places[2] = 9;
  kernels.call("k", x, places, out);
  const float expected[] = {0, 1, 4, 5, 6, 7};
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(out[i], expected[i]) << i;
}

TEST_P(Kernel, BooleansAreBytesOfZeroAndOne) {
  LoadedKernels kernels(compile(R"(
func.func @k(%x: tensor<9xf32>, %p: tensor<9xi1>) -> tensor<9xi1> attributes {partopt.kernel} {
  %z = stablehlo.constant dense<0.0> : tensor<9xf32>
  %c = stablehlo.compare GT, %x, %z : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
  %r = stablehlo.xor %c, %p : tensor<9xi1>
  return %r : tensor<9xi1>
})"));
  AlignedBuffer<float> x(9);
  AlignedBuffer<uint8_t> p(9), out(9);
  for (size_t i = 0; i < 9; ++i) {
    x[i] = float(i) - 4;
    p[i] = i % 2;
  }
  kernels.call("k", x, p, out);
  for (size_t i = 0; i < 9; ++i)
    EXPECT_EQ(out[i], (x[i] > 0) != bool(p[i])) << i;
}

TEST_P(Kernel, BFloat16RoundsToNearestEven) {
  LoadedKernels kernels(compile(R"(
func.func @k(%x: tensor<4xf32>) -> tensor<4xbf16> attributes {partopt.kernel} {
  %r = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
})"));
  AlignedBuffer<float> x(4);
  AlignedBuffer<uint16_t> out(4);
  x[0] = 1.0f + 1.0f / 256;                 // a tie: down to even
  x[1] = 1.0f + 3.0f / 256;                 // a tie: up to even
  x[2] = std::numeric_limits<float>::max(); // past the largest: infinity
  x[3] = std::numeric_limits<float>::quiet_NaN();
  kernels.call("k", x, out);
  EXPECT_EQ(out[0], 0x3f80);
  EXPECT_EQ(out[1], 0x3f82);
  EXPECT_EQ(out[2], 0x7f80);
  EXPECT_GT(out[3] & 0x7fff, 0x7f80);
}

TEST_P(Kernel, SymbolsFollowTheModuleAndBytesAreTheSameEveryTime) {
  const std::string text = R"(
func.func @second(%x: tensor<9xf32>) -> tensor<9xf32> attributes {partopt.kernel} {
  %r = stablehlo.tanh %x : tensor<9xf32>
  return %r : tensor<9xf32>
}
func.func @first(%x: tensor<9xf32>) -> tensor<9xf32> attributes {partopt.kernel} {
  %r = stablehlo.exponential %x : tensor<9xf32>
  return %r : tensor<9xf32>
})";
  KernelObject object = compile(text);
  EXPECT_EQ(object.symbols, (std::vector<std::string>{"second", "first"}));
  EXPECT_EQ(object.cpu, "x86-64-v3");
  EXPECT_EQ(object.abiVersion, kKernelAbiVersion);
  for (const char *feature : {"avx2", "fma", "f16c", "bmi2"})
    EXPECT_NE(
        std::find(object.features.begin(), object.features.end(), feature),
        object.features.end())
        << feature;
  EXPECT_EQ(object.image, compile(text).image);
}

} // namespace
