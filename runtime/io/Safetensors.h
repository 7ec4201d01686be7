//===- Safetensors.h - Array files ----------------------------------------===//
//
// A safetensors file is a u64 header length, a JSON header and the arrays'
// bytes. Everything in it is checked when it is opened; after that an array is
// a pointer into the mapped file.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_IO_SAFETENSORS_H
#define PARTOPT_RUNTIME_IO_SAFETENSORS_H

#include "partopt-rt/Session.h"
#include "runtime/base/OutputFile.h"

#include <memory>
#include <string>
#include <vector>

namespace partopt::rt {

struct ArrayEntry {
  std::string name;
  std::string dtype;      ///< as the file spells it
  plan::ElementType type; ///< Invalid when the dtype is not known
  std::vector<uint64_t> shape;
  const uint8_t *data;
  uint64_t bytes;

  /// "2x3xf32", or with the file's dtype where it is not known.
  std::string text() const;
};

class SafetensorsFile {
public:
  /// Fails when the file cannot be read, is truncated, its header is not what
  /// it should be, or arrays overlap, leave the file or have the wrong size.
  static StatusOr<std::shared_ptr<SafetensorsFile>>
  open(const std::string &path);
  ~SafetensorsFile();

  const std::string &path() const { return filePath; }
  /// In the order of their data.
  const std::vector<ArrayEntry> &entries() const { return arrays; }
  /// The array of that name, or null.
  const ArrayEntry *find(const std::string &name) const;

private:
  SafetensorsFile() = default;
  Status map();
  Status parse();

  std::string filePath;
  const uint8_t *base = nullptr;
  uint64_t size = 0;
  std::vector<ArrayEntry> arrays;
};

/// Reads from an array of a file; the entry must outlive it.
class ArrayEntrySource : public ArraySource {
public:
  explicit ArrayEntrySource(const ArrayEntry &entry) : entry(entry) {}
  void read(uint64_t first, uint64_t count, uint8_t *out) const override;

private:
  const ArrayEntry &entry;
};

/// Writes arrays of known shapes into a new file, each part once, in any order.
class SafetensorsWriter {
public:
  /// Types without a safetensors dtype are refused.
  static StatusOr<std::unique_ptr<SafetensorsWriter>>
  create(const std::string &path,
         const std::vector<const plan::TensorT *> &tensors,
         const std::vector<std::string> &names);

  /// Where array `index` goes.
  ArraySink &sink(size_t index) { return *sinks[index]; }

  Status commit() { return file->commit(); }

private:
  std::unique_ptr<MappedOutput> file;
  std::vector<std::unique_ptr<ArraySink>> sinks;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_IO_SAFETENSORS_H
