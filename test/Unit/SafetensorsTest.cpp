//===- SafetensorsTest.cpp - Array files, good and bad --------------------===//
//
// Every way in which a safetensors file can lie is one clear error.
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Safetensors.h"
#include "runtime/io/ShardCopy.h"

#include "partopt/Plan/ElementTypes.h"

#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <unistd.h>

using namespace partopt;
using namespace partopt::rt;

namespace {

std::string temporary(const std::string &name) {
  return testing::TempDir() + std::to_string(getpid()) + "." + name;
}

std::string errorOf(const std::string &bytes) {
  std::string path = temporary("bad.safetensors");
  std::ofstream(path, std::ios::binary) << bytes;
  auto file = SafetensorsFile::open(path);
  unlink(path.c_str());
  if (file.ok())
    return "";
  EXPECT_EQ(file.status().code(), Code::BadInput);
  EXPECT_NE(file.status().message().find(path), std::string::npos);
  return file.status().message();
}

std::string withHeader(const std::string &header, size_t dataBytes) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<char>(header.size() >> (8 * i));
  return bytes + header + std::string(dataBytes, 'x');
}

std::string array(const char *dtype, const char *shape, const char *offsets) {
  return std::string("{\"dtype\":\"") + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

TEST(Safetensors, BadFiles) {
  struct {
    std::string bytes;
    const char *message;
  } cases[] = {
      {"", "truncated, 0 bytes"},
      {"abc", "truncated, 3 bytes"},
      {withHeader("{}", 0).substr(0, 9), "the header should have 2 bytes"},
      {std::string(8, '\xff') + "{}", "truncated, the header should have"},
      {withHeader("[1]", 0), "not a JSON object"},
      {withHeader("{\"a\": ", 0), "not a JSON object"},
      {withHeader("{\"a\": 3}", 0), "needs dtype, shape and two data_offsets"},
      {withHeader("{\"a\":" + array("F32", "[-1]", "[0,4]") + "}", 4),
       "not a list of whole numbers"},
      {withHeader("{\"a\":" + array("F32", "[1]", "[0.5,4]") + "}", 4),
       "data_offsets are not whole numbers"},
      {withHeader("{\"a\":" + array("F32", "[2]", "[0,8]") + "}", 7),
       "outside the file's 7 bytes"},
      {withHeader("{\"a\":" + array("F32", "[2]", "[8,0]") + "}", 8),
       "outside the file's 8 bytes"},
      {withHeader("{\"a\":" + array("F32", "[3]", "[0,8]") + "}", 8),
       "hold 8 bytes, 3xf32 has 12"},
      {withHeader("{\"a\":" + array("F32", "[4611686018427387904,4]", "[0,0]") +
                      "}",
                  0),
       "hold 0 bytes"},
      {withHeader("{\"a\":" + array("F32", "[2]", "[0,8]") +
                      ",\"b\":" + array("F32", "[2]", "[4,12]") + "}",
                  12),
       "arrays 'a' and 'b' overlap"},
      {withHeader("{\"a\":" + array("F32", "[1]", "[0,4]") +
                      ",\"a\":" + array("F32", "[1]", "[0,4]") + "}",
                  4),
       "its header has 'a' twice"},
      {withHeader("{\"a\":{\"shape\":[1],\"dtype\":\"F32\",\"shape\":[1],"
                  "\"data_offsets\":[0,4]}}",
                  4),
       "its header has 'shape' twice"},
      {withHeader("{\"a\":" + array("F32", "[1]", "[0,4]") +
                      ",\"b\":" + array("F32", "[1]", "[4,8]") + "}",
                  4),
       "array 'b': data_offsets [4, 8] lie outside"},
  };
  for (const auto &one : cases)
    EXPECT_NE(errorOf(one.bytes).find(one.message), std::string::npos)
        << one.message << " / " << errorOf(one.bytes);
  EXPECT_FALSE(SafetensorsFile::open("/nonexistent").ok());
  EXPECT_FALSE(SafetensorsFile::open(testing::TempDir()).ok());
}

TEST(Safetensors, UnknownTypesOnlyMatterWhenUsed) {
  EXPECT_EQ(errorOf(withHeader("{\"__metadata__\":{\"a\":\"b\"},\"a\":" +
                                   array("Q4_0", "[2]", "[0,3]") + "}",
                               3)),
            "");
}

TEST(Safetensors, EveryTypeRoundTrips) {
  std::vector<std::unique_ptr<plan::TensorT>> owned;
  std::vector<const plan::TensorT *> tensors;
  std::vector<std::string> names;
  for (plan::ElementType type : plan::EnumValuesElementType()) {
    if (!plan::safetensorsName(type))
      continue;
    auto tensor = std::make_unique<plan::TensorT>();
    tensor->type = type;
    tensor->global_shape = {3, 5};
    names.push_back(plan::elementName(type));
    tensors.push_back(tensor.get());
    owned.push_back(std::move(tensor));
  }
  auto scalar = std::make_unique<plan::TensorT>();
  scalar->type = plan::ElementType::F32;
  auto empty = std::make_unique<plan::TensorT>();
  empty->type = plan::ElementType::F32;
  empty->global_shape = {0, 4};
  tensors.insert(tensors.end(), {scalar.get(), empty.get()});
  names.insert(names.end(), {"scalar", "empty"});

  std::string path = temporary("types.safetensors");
  auto bytesOf = [](const plan::TensorT &tensor) {
    std::vector<uint8_t> bytes(plan::elementCount(tensor.global_shape) *
                               plan::elementSize(tensor.type));
    std::iota(bytes.begin(), bytes.end(), uint8_t(bytes.size()));
    return bytes;
  };
  {
    auto writer = SafetensorsWriter::create(path, tensors, names);
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    for (size_t i = 0; i < tensors.size(); ++i) {
      std::vector<uint8_t> bytes = bytesOf(*tensors[i]);
      (*writer)->sink(i).write(0, plan::elementCount(tensors[i]->global_shape),
                               bytes.data());
    }
    EXPECT_NE(access(path.c_str(), F_OK), 0); // nothing before the commit
    ASSERT_TRUE((*writer)->commit().ok());
  }
  auto file = SafetensorsFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ArrayEntry *entry = (*file)->find(names[i]);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->type, tensors[i]->type);
    EXPECT_EQ(entry->shape, tensors[i]->global_shape);
    std::vector<uint8_t> bytes = bytesOf(*tensors[i]);
    EXPECT_EQ(std::vector<uint8_t>(entry->data, entry->data + entry->bytes),
              bytes);
  }
  unlink(path.c_str());
}

TEST(Safetensors, AnUnfinishedFileIsRemoved) {
  std::string path = temporary("unfinished.safetensors");
  plan::TensorT tensor;
  tensor.type = plan::ElementType::F32;
  tensor.global_shape = {8};
  {
    auto writer = SafetensorsWriter::create(path, {&tensor}, {"a"});
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
  EXPECT_NE(access((path + ".tmp." + std::to_string(getpid())).c_str(), F_OK),
            0);
  tensor.type = plan::ElementType::I4;
  auto writer = SafetensorsWriter::create(path, {&tensor}, {"a"});
  EXPECT_NE(writer.status().message().find("which safetensors files cannot"),
            std::string::npos);
  tensor.type = plan::ElementType::F32;
  EXPECT_FALSE(
      SafetensorsWriter::create("/nonexistent/a", {&tensor}, {"a"}).ok());
}

TEST(ShardCopy, RunsCoverTheBoxOnce) {
  // A 2x2x3 box at (1,0,2) of a 4x2x6 array, in a 3x2x4 buffer.
  std::vector<uint64_t> seenGlobal, seenLocal;
  forEachRun({4, 2, 6}, {3, 2, 4}, {{1, 2}, {0, 2}, {2, 3}},
             [&](const ShardRun &run) {
               for (uint64_t i = 0; i < run.count; ++i) {
                 seenGlobal.push_back(run.global + i);
                 seenLocal.push_back(run.local + i);
               }
             });
  std::vector<uint64_t> global, local;
  for (uint64_t x = 0; x < 2; ++x)
    for (uint64_t y = 0; y < 2; ++y)
      for (uint64_t z = 0; z < 3; ++z) {
        global.push_back(((x + 1) * 2 + y) * 6 + z + 2);
        local.push_back((x * 2 + y) * 4 + z);
      }
  EXPECT_EQ(seenGlobal, global);
  EXPECT_EQ(seenLocal, local);
}

TEST(ShardCopy, WholeDimensionsJoinOneRun) {
  int runs = 0;
  forEachRun({8, 4, 2}, {4, 4, 2}, {{4, 4}, {0, 4}, {0, 2}},
             [&](const ShardRun &run) {
               ++runs;
               EXPECT_EQ(run.global, 32u);
               EXPECT_EQ(run.count, 32u);
             });
  EXPECT_EQ(runs, 1);
  forEachRun({}, {}, {}, [&](const ShardRun &run) {
    ++runs;
    EXPECT_EQ(run.count, 1u);
  });
  EXPECT_EQ(runs, 2);
}

} // namespace
