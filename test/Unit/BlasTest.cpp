// Products of several ranks at once, and libraries that must be refused.

#include "runtime/drivers/host/Blas.h"
#include "TestKernels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
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

TEST(Blas, NamesTheLibraryThatIsNotThere) {
  StatusOr<Blas> blas = Blas::open("/nowhere/libblas.so");
  ASSERT_FALSE(blas.ok());
  EXPECT_EQ(blas.status().message(), "/nowhere/libblas.so cannot be loaded");
}

} // namespace
