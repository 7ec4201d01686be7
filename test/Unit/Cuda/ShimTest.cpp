//===- ShimTest.cpp - That the stand-in sees what is wrong ----------------===//
//
// Races and captures that a device would not take, made on purpose through the
// driver's functions.
//
//===----------------------------------------------------------------------===//

#include "ShimSession.h"

#include "runtime/drivers/cuda/Gpu.h"

using namespace partopt;
using namespace partopt::rt;
using test::ShimControl;

namespace {

class Shim : public testing::Test {
protected:
  void SetUp() override {
    ShimControl::get();
    StatusOr<const CudaApi *> loaded = CudaApi::get();
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    api = *loaded;
    StatusOr<std::unique_ptr<Gpu>> opened = Gpu::open(*api, 0);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    gpu = std::move(*opened);
    ASSERT_TRUE(gpu->allocate(4096, "a test").ok());
    first = *gpu->addStream(false);
    second = *gpu->addStream(false);
    event = *gpu->addEvent(false);
  }
  CUdeviceptr at(uint64_t offset) const {
    return devicePointer(gpu->memory()) + offset;
  }
  void write(CUstream stream, uint64_t offset) {
    EXPECT_EQ(api->cuMemsetD32Async(at(offset), 7, 4, stream), CUDA_SUCCESS);
  }
  void order(CUstream before, CUstream after) {
    EXPECT_EQ(api->cuEventRecord(event, before), CUDA_SUCCESS);
    EXPECT_EQ(api->cuStreamWaitEvent(after, event, 0), CUDA_SUCCESS);
  }
  uint64_t races() const { return ShimControl::get().races(); }

  const CudaApi *api = nullptr;
  std::unique_ptr<Gpu> gpu;
  CUstream first = nullptr, second = nullptr;
  CUevent event = nullptr;
};

TEST_F(Shim, FindsWritesThatNothingOrders) {
  write(first, 0);
  write(second, 16); // beside it
  EXPECT_EQ(races(), 0u);
  write(second, 12); // over its last word
  EXPECT_EQ(races(), 1u);
  EXPECT_EQ(api->cuStreamSynchronize(second), CUDA_ERROR_ASSERT);
}

TEST_F(Shim, AnEventOrdersWhatCameBeforeIt) {
  write(first, 0);
  order(first, second);
  write(second, 0);
  EXPECT_EQ(races(), 0u);
  write(first, 32);
  write(second, 32); // the event was recorded before
  EXPECT_EQ(races(), 1u);
}

TEST_F(Shim, ReadersMustEndBeforeAWrite) {
  EXPECT_EQ(api->cuMemcpyDtoDAsync(at(256), at(0), 64, first), CUDA_SUCCESS);
  EXPECT_EQ(api->cuMemcpyDtoDAsync(at(512), at(0), 64, second), CUDA_SUCCESS);
  EXPECT_EQ(races(), 0u);
  write(second, 0);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Shim, TheHostOrdersByWaiting) {
  write(first, 0);
  EXPECT_EQ(api->cuStreamSynchronize(first), CUDA_SUCCESS);
  write(second, 0);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Shim, GraphsKeepWhatTheirCaptureOrdered) {
  for (bool ordered : {true, false}) {
    SetUp();
    CUevent fork = *gpu->addEvent(false);
    EXPECT_EQ(api->cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED),
              CUDA_SUCCESS);
    EXPECT_EQ(api->cuEventRecord(fork, first), CUDA_SUCCESS);
    EXPECT_EQ(api->cuStreamWaitEvent(second, fork, 0), CUDA_SUCCESS);
    write(first, 0);
    if (ordered)
      order(first, second);
    write(second, 0);
    order(second, first);
    CUgraph graph = nullptr;
    ASSERT_EQ(api->cuStreamEndCapture(first, &graph), CUDA_SUCCESS);
    CUgraphExec exec = nullptr;
    ASSERT_EQ(api->cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(api->cuGraphLaunch(exec, first), CUDA_SUCCESS);
    EXPECT_EQ(api->cuGraphLaunch(exec, first), CUDA_SUCCESS);
    EXPECT_EQ(races() > 0, !ordered);
  }
}

TEST_F(Shim, ACaptureMustJoinItsStreams) {
  EXPECT_EQ(api->cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  order(first, second);
  write(second, 0);
  CUgraph graph = nullptr;
  EXPECT_EQ(api->cuStreamEndCapture(first, &graph),
            CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

} // namespace
