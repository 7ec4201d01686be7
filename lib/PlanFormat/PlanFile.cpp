//===- PlanFile.cpp - The plan file's container ---------------------------===//
//
// Reads and writes the envelope of PlanFile.h. Every check that protects the
// FlatBuffers accessors happens here, once, before the plan is unpacked.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/PlanFile.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace partopt::plan {

namespace {

constexpr char magic[8] = {'P', 'A', 'R', 'T', 'O', 'P', 'T', '\1'};
constexpr size_t headerSize = 24;

void putU64(uint8_t *at, uint64_t value) {
  for (int i = 0; i < 8; ++i)
    at[i] = static_cast<uint8_t>(value >> (8 * i));
}

uint64_t getU64(const uint8_t *at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
    value |= static_cast<uint64_t>(at[i]) << (8 * i);
  return value;
}

std::string systemError(const std::string &what, const std::string &path) {
  return "cannot " + what + " '" + path + "': " + std::strerror(errno);
}

} // namespace

uint64_t hashBytes(const void *data, size_t size) {
  return XXH64(data, size, 0);
}

std::vector<uint8_t> packPlan(const PlanT &plan) {
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  FinishPlanBuffer(builder, Plan::Pack(builder, &plan));
  std::vector<uint8_t> bytes(headerSize + builder.GetSize());
  std::memcpy(bytes.data(), magic, sizeof(magic));
  putU64(bytes.data() + 8, builder.GetSize());
  putU64(bytes.data() + 16,
         hashBytes(builder.GetBufferPointer(), builder.GetSize()));
  std::memcpy(bytes.data() + headerSize, builder.GetBufferPointer(),
              builder.GetSize());
  return bytes;
}

std::string writePlanFile(const PlanT &plan, const std::string &path) {
  std::vector<uint8_t> bytes = packPlan(plan);
  // A rename over a device or a pipe would remove it.
  struct stat status;
  bool special = stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
                 !S_ISDIR(status.st_mode);
  std::string temporary =
      special ? path : path + ".tmp." + std::to_string(getpid());
  FILE *file = std::fopen(temporary.c_str(), "wb");
  if (!file)
    return systemError("write", path);
  bool good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  good = (std::fflush(file) == 0) && good;
  std::string error = good ? "" : systemError("write", path);
  if (std::fclose(file) != 0 && good)
    error = systemError("write", path);
  if (special)
    return error;
  if (error.empty() && std::rename(temporary.c_str(), path.c_str()) != 0)
    error = systemError("write", path);
  if (!error.empty())
    std::remove(temporary.c_str());
  return error;
}

std::unique_ptr<PlanT> unpackPlan(const uint8_t *data, size_t size,
                                  const std::string &name, std::string &error) {
  auto fail = [&](const std::string &why) {
    error = "'" + name + "' " + why;
    return nullptr;
  };
  if (size < sizeof(magic) || std::memcmp(data, magic, 7) != 0)
    return fail("is not a partopt plan file (it does not start with the "
                "plan magic)");
  if (data[7] != static_cast<uint8_t>(magic[7]))
    return fail("has plan container version " + std::to_string(data[7]) +
                ", this build reads version 1: use the partopt that wrote it");
  if (size < headerSize)
    return fail("is truncated: " + std::to_string(size) +
                " bytes, less than the header");
  uint64_t expected = getU64(data + 8);
  if (size - headerSize != expected)
    return fail((size - headerSize < expected ? "is truncated: "
                                              : "has trailing bytes: ") +
                std::to_string(size - headerSize) +
                " bytes of payload, the "
                "header promises " +
                std::to_string(expected));
  const uint8_t *payload = data + headerSize;
  if (hashBytes(payload, expected) != getU64(data + 16))
    return fail("was altered after it was written: its content does not match "
                "its hash; compile it again");
  // Large graphs have many tables; the default limit is for untrusted input.
  flatbuffers::Verifier verifier(payload, expected, 128, 1u << 30);
  if (!PlanBufferHasIdentifier(payload) || !VerifyPlanBuffer(verifier))
    return fail("does not hold a plan that this build can read");
  const Plan *root = GetPlan(payload);
  if (root->format_version() != formatVersion)
    return fail("has plan format version " +
                std::to_string(root->format_version()) +
                ", this build reads version " + std::to_string(formatVersion) +
                ": use the partopt that wrote it");
  return std::unique_ptr<PlanT>(root->UnPack());
}

std::unique_ptr<PlanT> readPlanFile(const std::string &path,
                                    std::string &error) {
  FILE *file = std::fopen(path.c_str(), "rb");
  if (!file) {
    error = systemError("read", path);
    return nullptr;
  }
  std::vector<uint8_t> bytes;
  uint8_t block[1 << 16];
  size_t got;
  while ((got = std::fread(block, 1, sizeof(block), file)) > 0)
    bytes.insert(bytes.end(), block, block + got);
  bool bad = std::ferror(file);
  if (bad)
    error = systemError("read", path);
  std::fclose(file);
  if (bad)
    return nullptr;
  return unpackPlan(bytes.data(), bytes.size(), path, error);
}

} // namespace partopt::plan
