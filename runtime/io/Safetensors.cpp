//===- Safetensors.cpp - Array files --------------------------------------===//
//
// See Safetensors.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Safetensors.h"

#include "partopt/Plan/ElementTypes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace partopt::rt {

using nlohmann::json;

std::string ArrayEntry::text() const {
  if (type != plan::ElementType::Invalid)
    return plan::shapeText(shape, type);
  std::string dims;
  for (uint64_t extent : shape)
    dims += std::to_string(extent) + "x";
  return dims + dtype;
}

static uint64_t littleEndian(const uint8_t *at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
    value |= static_cast<uint64_t>(at[i]) << (8 * i);
  return value;
}

StatusOr<std::shared_ptr<SafetensorsFile>>
SafetensorsFile::open(const std::string &path) {
  std::shared_ptr<SafetensorsFile> file(new SafetensorsFile());
  file->filePath = path;
  Status status = file->map();
  if (status.ok())
    status = file->parse();
  if (!status.ok())
    return status;
  return file;
}

SafetensorsFile::~SafetensorsFile() {
  if (base)
    munmap(const_cast<uint8_t *>(base), size);
}

Status SafetensorsFile::map() {
  int descriptor = ::open(filePath.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info = {};
  int failure = 0;
  if (descriptor < 0 || fstat(descriptor, &info) != 0)
    failure = errno;
  else if (!S_ISREG(info.st_mode))
    failure = S_ISDIR(info.st_mode) ? EISDIR : ESPIPE;
  if (failure == 0 && info.st_size > 0) {
    size = static_cast<uint64_t>(info.st_size);
    void *mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED)
      failure = errno;
    else
      base = static_cast<const uint8_t *>(mapped);
  }
  if (descriptor >= 0)
    close(descriptor);
  if (failure != 0)
    return Status::badInput("cannot read '" + filePath +
                            "': " + std::strerror(failure));
  return Status();
}

namespace {

/// Reads one entry of the header; an error text, or empty.
std::string readEntry(const json &value, uint64_t dataBytes,
                      const uint8_t *data, ArrayEntry &entry) {
  if (!value.is_object() || !value.contains("dtype") ||
      !value["dtype"].is_string() || !value.contains("shape") ||
      !value["shape"].is_array() || !value.contains("data_offsets") ||
      !value["data_offsets"].is_array() || value["data_offsets"].size() != 2)
    return "its header needs dtype, shape and two data_offsets";
  entry.dtype = value["dtype"].get<std::string>();
  entry.type = plan::elementTypeOfSafetensors(entry.dtype);
  for (const json &extent : value["shape"]) {
    if (!extent.is_number_unsigned())
      return "its shape is not a list of whole numbers";
    entry.shape.push_back(extent.get<uint64_t>());
  }
  const json &offsets = value["data_offsets"];
  if (!offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned())
    return "its data_offsets are not whole numbers";
  uint64_t begin = offsets[0].get<uint64_t>(), end = offsets[1].get<uint64_t>();
  std::string where = "data_offsets [" + std::to_string(begin) + ", " +
                      std::to_string(end) + "]";
  if (begin > end || end > dataBytes)
    return where + " lie outside the file's " + std::to_string(dataBytes) +
           " bytes of data (is it truncated?)";
  entry.data = data + begin;
  entry.bytes = end - begin;
  uint64_t need = plan::saturatingMul(plan::elementCount(entry.shape),
                                      plan::elementSize(entry.type));
  if (entry.type != plan::ElementType::Invalid && need != entry.bytes)
    return where + " hold " + std::to_string(entry.bytes) + " bytes, " +
           entry.text() + " has " + std::to_string(need);
  return "";
}

/// The header as JSON; `twice` is a key that one of its objects has twice, of
/// which JSON keeps one only.
json parseHeader(const char *text, uint64_t bytes, std::string &twice) {
  std::vector<std::set<std::string>> keys; // of the objects around
  auto check = [&](int, json::parse_event_t event, json &value) {
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key &&
             !keys.back().insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return true;
  };
  return json::parse(text, text + bytes, check, false);
}

} // namespace

Status SafetensorsFile::parse() {
  auto bad = [&](const std::string &why) {
    return Status::badInput("'" + filePath +
                            "' is not a good safetensors "
                            "file: " +
                            why);
  };
  if (size < 8)
    return bad("it is truncated, " + std::to_string(size) + " bytes long");
  uint64_t headerBytes = littleEndian(base);
  if (headerBytes > size - 8)
    return bad("it is truncated, the header should have " +
               std::to_string(headerBytes) + " bytes and " +
               std::to_string(size - 8) + " follow");
  const char *text = reinterpret_cast<const char *>(base + 8);
  std::string twice;
  json header = parseHeader(text, headerBytes, twice);
  if (!header.is_object())
    return bad("its header is not a JSON object");
  if (!twice.empty())
    return bad("its header has '" + twice + "' twice");
  const uint8_t *data = base + 8 + headerBytes;
  uint64_t dataBytes = size - 8 - headerBytes;
  for (const auto &[name, value] : header.items()) {
    if (name == "__metadata__")
      continue;
    ArrayEntry entry;
    entry.name = name;
    std::string why = readEntry(value, dataBytes, data, entry);
    if (!why.empty())
      return bad("array '" + name + "': " + why);
    arrays.push_back(std::move(entry));
  }
  std::sort(arrays.begin(), arrays.end(),
            [](const ArrayEntry &a, const ArrayEntry &b) {
              return std::tie(a.data, a.bytes, a.name) <
                     std::tie(b.data, b.bytes, b.name);
            });
  const ArrayEntry *last = nullptr;
  uint64_t covered = 0;
  for (const ArrayEntry &entry : arrays) {
    covered += entry.bytes;
    if (last && entry.bytes > 0 && last->data + last->bytes > entry.data)
      return bad("arrays '" + last->name + "' and '" + entry.name +
                 "' overlap");
    if (entry.bytes > 0)
      last = &entry;
  }
  if (covered != dataBytes)
    return bad("its arrays have " + std::to_string(covered) + " of the " +
               std::to_string(dataBytes) +
               " bytes after the header; something was added to it");
  return Status();
}

const ArrayEntry *SafetensorsFile::find(const std::string &name) const {
  for (const ArrayEntry &entry : arrays)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

void ArrayEntrySource::read(uint64_t first, uint64_t count,
                            uint8_t *out) const {
  uint64_t size = plan::elementSize(entry.type);
  if (count > 0)
    std::memcpy(out, entry.data + first * size, count * size);
}

namespace {

class MappedSink : public ArraySink {
public:
  MappedSink(uint8_t *data, uint64_t elementBytes)
      : data(data), elementBytes(elementBytes) {}
  void write(uint64_t first, uint64_t count, const uint8_t *from) override {
    if (count > 0) // an empty array has no address
      std::memcpy(data + first * elementBytes, from, count * elementBytes);
  }

private:
  uint8_t *data;
  uint64_t elementBytes;
};

} // namespace

StatusOr<std::unique_ptr<SafetensorsWriter>>
SafetensorsWriter::create(const std::string &path,
                          const std::vector<const plan::TensorT *> &tensors,
                          const std::vector<std::string> &names) {
  json header = json::object();
  std::vector<uint64_t> offsets;
  uint64_t at = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const plan::TensorT &tensor = *tensors[i];
    const char *dtype = plan::safetensorsName(tensor.type);
    if (!dtype)
      return Status::badInput("'" + names[i] + "' has the element type " +
                              plan::elementName(tensor.type) +
                              ", which safetensors files cannot hold");
    uint64_t bytes = plan::elementCount(tensor.global_shape) *
                     plan::elementSize(tensor.type);
    header[names[i]] = {{"dtype", dtype},
                        {"shape", tensor.global_shape},
                        {"data_offsets", {at, at + bytes}}};
    offsets.push_back(at);
    at += bytes;
  }
  std::string text =
      header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  StatusOr<MappedOutput> file =
      MappedOutput::create(path, 8 + text.size() + at);
  if (!file.ok())
    return file.status();
  auto writer = std::make_unique<SafetensorsWriter>();
  writer->file = std::make_unique<MappedOutput>(std::move(*file));
  uint8_t *base = writer->file->data();
  for (int i = 0; i < 8; ++i)
    base[i] = static_cast<uint8_t>(uint64_t(text.size()) >> (8 * i));
  std::copy(text.begin(), text.end(), base + 8);
  for (size_t i = 0; i < tensors.size(); ++i)
    writer->sinks.push_back(
        std::make_unique<MappedSink>(base + 8 + text.size() + offsets[i],
                                     plan::elementSize(tensors[i]->type)));
  return writer;
}

} // namespace partopt::rt
