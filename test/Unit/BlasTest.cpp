// Products of several ranks at once, and libraries that must be refused.

#include "runtime/drivers/host/Blas.h"
#include "TestKernels.h"
#include "runtime/drivers/host/CpuFeatures.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <thread>
#include <unistd.h>

using namespace partopt;
using namespace partopt::rt;

namespace {

/// One rank's product: large enough that the library packs its operands.
struct Product {
  plan::GemmT shape;
  std::vector<float> a, b, c;

  explicit Product(unsigned seed) {
    shape.type = plan::ElementType::F32;
    shape.m = 100 + 8 * seed;
    shape.n = shape.k = 128;
    shape.lda = shape.k;
    shape.ldb = shape.ldc = shape.n;
    std::mt19937 random(seed);
    auto fill = [&](std::vector<float> &values, size_t count) {
      for (size_t i = 0; i < count; ++i)
        values.push_back(float(random() % 1000) / 1000);
    };
    fill(a, shape.m * shape.k);
    fill(b, shape.k * shape.n);
    c.resize(shape.m * shape.n);
  }
  const std::vector<float> &run(const Blas &blas) {
    blas.multiply({&shape, a.data(), b.data(), c.data()});
    return c;
  }
};

TEST(Blas, ProductsOfRanksDoNotDisturbEachOther) {
  StatusOr<const Blas *> blas = Blas::get();
  ASSERT_TRUE(blas.ok()) << blas.status().message();
  constexpr unsigned ranks = 8;
  std::vector<Product> products;
  std::vector<std::vector<float>> expected;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    products.emplace_back(rank);
    expected.push_back(products.back().run(**blas));
  }
  std::atomic<unsigned> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      for (int round = 0; round < 2000; ++round)
        wrong += products[rank].run(**blas) != expected[rank];
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
}

/// A library made of a few lines of C.
std::string makeLibrary(const std::string &source) {
  auto object = test::compileKernels(source, {});
  std::string path =
      testing::TempDir() + "blas-" + std::to_string(getpid()) + ".so";
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(object->image.data()),
             object->image.size());
  return path;
}

void expectRefused(const std::string &source, const std::string &reason) {
  std::string path = makeLibrary(source);
  StatusOr<Blas> blas = Blas::open(path);
  ASSERT_FALSE(blas.ok());
  EXPECT_EQ(blas.status().message(), path + reason);
  std::remove(path.c_str());
}

TEST(Blas, RefusesALibraryForOneThread) {
  expectRefused("void cblas_sgemm(void) {} void cblas_dgemm(void) {}\n"
                "char *openblas_get_config(void) {\n"
                "  return \"OpenBLAS 0.3.21 DYNAMIC_ARCH SINGLE_THREADED\";\n"
                "}\n",
                " was built for callers of one thread and makes wrong products "
                "under several ranks");
}

TEST(Blas, RefusesALibraryWithoutProducts) {
  expectRefused("void cblas_sgemm(void) {}\n",
                " has no cblas_sgemm and cblas_dgemm");
}

/// Sets OPENBLAS_CORETYPE, or takes it away, for a while.
class CoreVariable {
public:
  explicit CoreVariable(const char *value) {
    if (const char *old = std::getenv("OPENBLAS_CORETYPE"))
      before = old;
    set(value);
  }
  ~CoreVariable() { set(before ? before->c_str() : nullptr); }
  CoreVariable(const CoreVariable &) = delete;
  CoreVariable &operator=(const CoreVariable &) = delete;

private:
  static void set(const char *value) {
    value ? setenv("OPENBLAS_CORETYPE", value, 1)
          : unsetenv("OPENBLAS_CORETYPE");
  }
  std::optional<std::string> before;
};

/// Of a library that knows no processor but the one it is told of.
std::string coreOfFake(const std::string &known) {
  std::string path =
      makeLibrary("#include <stdlib.h>\n"
                  "void cblas_sgemm(void) {} void cblas_dgemm(void) {}\n"
                  "char *openblas_get_corename(void) {\n"
                  "  char *told = getenv(\"OPENBLAS_CORETYPE\");\n"
                  "  static char name[32];\n"
                  "  static int isSet;\n"
                  "  const char *from = told ? told : \"" +
                  known +
                  "\";\n"
                  "  for (int i = 0; !isSet && i < 31; ++i)\n"
                  "    if (!(name[i] = from[i])) break;\n"
                  "  isSet = 1;\n"
                  "  return name;\n"
                  "}\n"
                  "__attribute__((constructor)) static void atLoad(void) {\n"
                  "  openblas_get_corename();\n"
                  "}\n");
  StatusOr<Blas> blas = Blas::open(path);
  std::remove(path.c_str());
  return blas.ok() ? blas->core() : blas.status().message();
}

TEST(Blas, ALibraryOlderThanTheProcessorIsToldOfIt) {
  CoreVariable unset(nullptr);
  std::string core = coreOfFake("Prescott");
  bool hasAvx2 = missingCpuFeatures("x86-64-v3", {}).empty();
  bool hasAvx512 = missingCpuFeatures("x86-64-v4", {}).empty();
  EXPECT_EQ(core, hasAvx512 ? "SkylakeX" : hasAvx2 ? "Haswell" : "Prescott");
  EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE"), nullptr);
}

TEST(Blas, ALibraryThatKnowsTheProcessorIsLeftAlone) {
  CoreVariable unset(nullptr);
  EXPECT_EQ(coreOfFake("Zen"), "Zen");
}

TEST(Blas, TheUsersChoiceOfACoreIsKept) {
  CoreVariable chosen("Prescott");
  EXPECT_EQ(coreOfFake("Zen"), "Prescott");
}

TEST(Blas, NamesTheLibraryThatIsNotThere) {
  StatusOr<Blas> blas = Blas::open("/nowhere/libblas.so");
  ASSERT_FALSE(blas.ok());
  EXPECT_EQ(blas.status().message(), "/nowhere/libblas.so cannot be loaded");
}

} // namespace
