//===- OutputFile.h - Files that appear whole or not at all ---------------===//
//
// Output is written under a temporary name beside its place and renamed when
// it is complete, so that a failure leaves nothing half written behind. What is
// no regular file (a device, a pipe) is written as it is, never replaced.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_BASE_OUTPUTFILE_H
#define PARTOPT_RUNTIME_BASE_OUTPUTFILE_H

#include "partopt-rt/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partopt::rt {

/// Writes `text` to `path`.
Status writeTextFile(const std::string &path, const std::string &text);

/// Whether `path` can be written, without touching it: told before a long run,
/// not after it.
Status checkOutput(const std::string &path);

/// A file and the option that names it.
struct NamedPath {
  std::string option, path;
};

/// Fails when an output is the same file as an input or another output. Empty
/// paths, "-" and what is no regular file are not looked at.
Status checkDistinct(const std::vector<NamedPath> &outputs,
                     const std::vector<NamedPath> &inputs);

/// A file of a known size, mapped for writing. Removed unless committed.
class MappedOutput {
public:
  static StatusOr<MappedOutput> create(const std::string &path, uint64_t bytes);
  MappedOutput(MappedOutput &&other) noexcept;
  MappedOutput(const MappedOutput &) = delete;
  ~MappedOutput();

  uint8_t *data() const { return base; }

  /// Gives the file its name.
  Status commit();

private:
  MappedOutput() = default;

  Status writeSpecial();

  std::string path;
  /// Empty when `path` is a special file.
  std::string temporary;
  uint8_t *base = nullptr;
  uint64_t bytes = 0;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_BASE_OUTPUTFILE_H
