//===- CpuFeatures.cpp - What this processor can run ----------------------===//
//
// LLVM feature names against cpuid bits. Features with registers of their own
// also need the operating system's consent in XCR0.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/host/CpuFeatures.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace partopt::rt {

#if defined(__x86_64__)

namespace {

enum Register { EAX, EBX, ECX, EDX };
enum State { NoState = 0, Avx = 0x6, Avx512 = 0xe6, Amx = 0x60000 };

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register where;
  unsigned bit;
  State state;
};

const Feature featureTable[] = {
    {"cx8", 1, 0, EDX, 8, NoState},
    {"cmov", 1, 0, EDX, 15, NoState},
    {"mmx", 1, 0, EDX, 23, NoState},
    {"fxsr", 1, 0, EDX, 24, NoState},
    {"sse", 1, 0, EDX, 25, NoState},
    {"sse2", 1, 0, EDX, 26, NoState},
    {"sse3", 1, 0, ECX, 0, NoState},
    {"pclmul", 1, 0, ECX, 1, NoState},
    {"ssse3", 1, 0, ECX, 9, NoState},
    {"fma", 1, 0, ECX, 12, Avx},
    {"cx16", 1, 0, ECX, 13, NoState},
    {"sse4.1", 1, 0, ECX, 19, NoState},
    {"sse4.2", 1, 0, ECX, 20, NoState},
    {"movbe", 1, 0, ECX, 22, NoState},
    {"popcnt", 1, 0, ECX, 23, NoState},
    {"crc32", 1, 0, ECX, 20, NoState},
    {"aes", 1, 0, ECX, 25, NoState},
    {"xsave", 1, 0, ECX, 26, NoState},
    {"avx", 1, 0, ECX, 28, Avx},
    {"f16c", 1, 0, ECX, 29, Avx},
    {"rdrnd", 1, 0, ECX, 30, NoState},
    {"fsgsbase", 7, 0, EBX, 0, NoState},
    {"bmi", 7, 0, EBX, 3, NoState},
    {"avx2", 7, 0, EBX, 5, Avx},
    {"bmi2", 7, 0, EBX, 8, NoState},
    {"invpcid", 7, 0, EBX, 10, NoState},
    {"avx512f", 7, 0, EBX, 16, Avx512},
    {"avx512dq", 7, 0, EBX, 17, Avx512},
    {"rdseed", 7, 0, EBX, 18, NoState},
    {"adx", 7, 0, EBX, 19, NoState},
    {"avx512ifma", 7, 0, EBX, 21, Avx512},
    {"clflushopt", 7, 0, EBX, 23, NoState},
    {"clwb", 7, 0, EBX, 24, NoState},
    {"avx512cd", 7, 0, EBX, 28, Avx512},
    {"sha", 7, 0, EBX, 29, NoState},
    {"avx512bw", 7, 0, EBX, 30, Avx512},
    {"avx512vl", 7, 0, EBX, 31, Avx512},
    {"avx512vbmi", 7, 0, ECX, 1, Avx512},
    {"pku", 7, 0, ECX, 4, NoState},
    {"waitpkg", 7, 0, ECX, 5, NoState},
    {"avx512vbmi2", 7, 0, ECX, 6, Avx512},
    {"shstk", 7, 0, ECX, 7, NoState},
    {"gfni", 7, 0, ECX, 8, NoState},
    {"vaes", 7, 0, ECX, 9, Avx},
    {"vpclmulqdq", 7, 0, ECX, 10, Avx},
    {"avx512vnni", 7, 0, ECX, 11, Avx512},
    {"avx512bitalg", 7, 0, ECX, 12, Avx512},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Avx512},
    {"rdpid", 7, 0, ECX, 22, NoState},
    {"cldemote", 7, 0, ECX, 25, NoState},
    {"movdiri", 7, 0, ECX, 27, NoState},
    {"movdir64b", 7, 0, ECX, 28, NoState},
    {"avx512vp2intersect", 7, 0, EDX, 8, Avx512},
    {"serialize", 7, 0, EDX, 14, NoState},
    {"tsxldtrk", 7, 0, EDX, 16, NoState},
    {"amx-bf16", 7, 0, EDX, 22, Amx},
    {"avx512fp16", 7, 0, EDX, 23, Avx512},
    {"amx-tile", 7, 0, EDX, 24, Amx},
    {"amx-int8", 7, 0, EDX, 25, Amx},
    {"avxvnni", 7, 1, EAX, 4, Avx},
    {"avx512bf16", 7, 1, EAX, 5, Avx512},
    {"xsaveopt", 0xd, 1, EAX, 0, NoState},
    {"xsavec", 0xd, 1, EAX, 1, NoState},
    {"xsaves", 0xd, 1, EAX, 3, NoState},
    {"sahf", 0x80000001, 0, ECX, 0, NoState},
    {"lzcnt", 0x80000001, 0, ECX, 5, NoState},
    {"sse4a", 0x80000001, 0, ECX, 6, NoState},
    {"prfchw", 0x80000001, 0, ECX, 8, NoState},
    {"xop", 0x80000001, 0, ECX, 11, Avx},
    {"fma4", 0x80000001, 0, ECX, 16, Avx},
    {"mwaitx", 0x80000001, 0, ECX, 29, NoState},
    {"64bit", 0x80000001, 0, EDX, 29, NoState},
    {"clzero", 0x80000008, 0, EBX, 0, NoState},
    {"rdpru", 0x80000008, 0, EBX, 4, NoState},
    {"wbnoinvd", 0x80000008, 0, EBX, 9, NoState},
};

const char *const levelV2[] = {"cx16",   "popcnt", "sahf", "sse3",
                               "sse4.1", "sse4.2", "ssse3"};
const char *const levelV3[] = {"avx", "avx2",  "bmi",   "bmi2", "f16c",
                               "fma", "lzcnt", "movbe", "xsave"};
const char *const levelV4[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq",
                               "avx512vl"};

uint64_t enabledState() {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

bool present(const std::string &name) {
  auto feature = std::find_if(std::begin(featureTable), std::end(featureTable),
                              [&](const Feature &f) { return name == f.name; });
  if (feature == std::end(featureTable))
    return false;
  uint32_t registers[4];
  if (!__get_cpuid_count(feature->leaf, feature->subleaf, &registers[EAX],
                         &registers[EBX], &registers[ECX], &registers[EDX]))
    return false;
  return (registers[feature->where] >> feature->bit & 1) &&
         (enabledState() & feature->state) == uint64_t(feature->state);
}

} // namespace

std::vector<std::string>
missingCpuFeatures(const std::string &cpu,
                   const std::vector<std::string> &features) {
  std::vector<std::string> wanted;
  if (cpu == "x86-64-v2" || cpu == "x86-64-v3" || cpu == "x86-64-v4")
    wanted.insert(wanted.end(), std::begin(levelV2), std::end(levelV2));
  if (cpu == "x86-64-v3" || cpu == "x86-64-v4")
    wanted.insert(wanted.end(), std::begin(levelV3), std::end(levelV3));
  if (cpu == "x86-64-v4")
    wanted.insert(wanted.end(), std::begin(levelV4), std::end(levelV4));
  for (const std::string &feature : features)
    if (!feature.empty() && feature[0] != '-')
      wanted.push_back(feature[0] == '+' ? feature.substr(1) : feature);
  std::vector<std::string> missing;
  for (const std::string &name : wanted)
    if (!present(name) &&
        std::find(missing.begin(), missing.end(), name) == missing.end())
      missing.push_back(name);
  return missing;
}

#else

std::vector<std::string>
missingCpuFeatures(const std::string &cpu,
                   const std::vector<std::string> &features) {
  return {cpu};
}

#endif

} // namespace partopt::rt
