//===- GpuKernelsTest.cpp - Which image a GPU gets ------------------------===//
//
// Cubins run on their major architecture from their minor one on, PTX on all
// that come after, and those named with a letter on nothing else.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/GpuKernels.h"

#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::rt;
using plan::GpuImageKind;

namespace {

/// The architecture that a GPU gets of these; "" for none.
std::string
chosen(const std::vector<std::pair<GpuImageKind, const char *>> &images,
       int capability) {
  plan::KernelObjectT object;
  for (const auto &[kind, arch] : images) {
    object.gpu_images.push_back(std::make_unique<plan::GpuImageT>());
    object.gpu_images.back()->kind = kind;
    object.gpu_images.back()->arch = arch;
  }
  const plan::GpuImageT *image = chooseImage(object, capability);
  return image ? image->arch : "";
}

constexpr GpuImageKind cubin = GpuImageKind::Cubin, ptx = GpuImageKind::Ptx,
                       host = GpuImageKind::Host;

TEST(ChooseImage, CubinsOfTheMajorArchitecture) {
  EXPECT_EQ(chosen({{cubin, "sm_80"}, {cubin, "sm_90"}}, 80), "sm_80");
  EXPECT_EQ(chosen({{cubin, "sm_80"}, {cubin, "sm_90"}}, 86), "sm_80");
  EXPECT_EQ(chosen({{cubin, "sm_80"}, {cubin, "sm_86"}}, 89), "sm_86");
  EXPECT_EQ(chosen({{cubin, "sm_80"}, {cubin, "sm_86"}}, 80), "sm_80");
  EXPECT_EQ(chosen({{cubin, "sm_80"}, {cubin, "sm_90"}}, 100), "");
  EXPECT_EQ(chosen({{cubin, "sm_100"}, {cubin, "sm_90"}}, 103), "sm_100");
  EXPECT_EQ(chosen({{cubin, "sm_80"}}, 75), "");
}

TEST(ChooseImage, PtxForWhatComesAfter) {
  EXPECT_EQ(chosen({{ptx, "compute_80"}, {ptx, "compute_90"}}, 120),
            "compute_90");
  EXPECT_EQ(chosen({{ptx, "compute_80"}, {ptx, "compute_90"}}, 86),
            "compute_80");
  EXPECT_EQ(chosen({{ptx, "compute_90"}}, 89), "");
  EXPECT_EQ(chosen({{ptx, "compute_90"}, {cubin, "sm_80"}}, 90), "compute_90");
  EXPECT_EQ(chosen({{ptx, "compute_90"}, {cubin, "sm_90"}}, 90), "sm_90");
}

TEST(ChooseImage, ArchitecturesWithALetterAreExact) {
  EXPECT_EQ(chosen({{cubin, "sm_90a"}}, 90), "sm_90a");
  EXPECT_EQ(chosen({{ptx, "compute_90a"}}, 100), "");
}

TEST(ChooseImage, TheEmulatedDeviceTakesTheHostsAlone) {
  EXPECT_EQ(chosen({{ptx, "compute_80"}, {host, "emulated"}}, 0), "emulated");
  EXPECT_EQ(chosen({{host, "emulated"}}, 90), "");
  EXPECT_EQ(chosen({{ptx, "compute_80"}}, 0), "");
}

} // namespace
