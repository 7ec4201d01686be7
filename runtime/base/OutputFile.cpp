//===- OutputFile.cpp - Files that appear whole or not at all -------------===//
//
// See OutputFile.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/OutputFile.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace partopt::rt {

static Status systemError(const std::string &path) {
  return Status::badInput("cannot write '" + path +
                          "': " + std::strerror(errno));
}

/// True for devices and pipes: a rename over them would remove them.
static bool isSpecial(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
         !S_ISDIR(status.st_mode);
}

static bool isFolder(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

static bool isSameFile(const std::string &a, const std::string &b) {
  if (a.empty() || b.empty() || a == "-" || b == "-" || isSpecial(a))
    return false;
  std::error_code ignored;
  namespace fs = std::filesystem;
  return fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored) ||
         fs::equivalent(a, b, ignored);
}

Status checkDistinct(const std::vector<NamedPath> &outputs,
                     const std::vector<NamedPath> &inputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const NamedPath &output = outputs[i];
    for (const NamedPath &input : inputs)
      if (isSameFile(output.path, input.path))
        return Status::badInput(output.option + " '" + output.path +
                                "' would overwrite what is read as " +
                                input.option + "; name another file");
    for (size_t j = 0; j < i; ++j)
      if (isSameFile(output.path, outputs[j].path))
        return Status::badInput(outputs[j].option + " and " + output.option +
                                " both write '" + output.path +
                                "'; name two files");
  }
  return Status();
}

Status checkOutput(const std::string &path) {
  return MappedOutput::create(path, 0).status();
}

Status writeTextFile(const std::string &path, const std::string &text) {
  StatusOr<MappedOutput> file = MappedOutput::create(path, text.size());
  if (!file.ok())
    return file.status();
  if (!text.empty())
    std::memcpy(file->data(), text.data(), text.size());
  return file->commit();
}

StatusOr<MappedOutput> MappedOutput::create(const std::string &path,
                                            uint64_t bytes) {
  MappedOutput file;
  file.path = path;
  file.bytes = bytes;
  if (isFolder(path)) {
    errno = EISDIR;
    return systemError(path);
  }
  if (isSpecial(path)) {
    void *memory = mmap(nullptr, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return systemError(path);
    file.base = static_cast<uint8_t *>(memory);
    return file;
  }
  std::string temporary = path + ".tmp." + std::to_string(getpid());
  int descriptor =
      open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return systemError(path);
  file.temporary = temporary;
  // Reserve the blocks: a full disk is an error here, not a fault later.
  int failure = 0;
  if (bytes > 0)
    failure = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  if (failure == 0 && bytes > 0) {
    void *mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED)
      failure = errno;
    else
      file.base = static_cast<uint8_t *>(mapped);
  }
  close(descriptor);
  if (failure != 0) {
    errno = failure;
    return systemError(path);
  }
  return file;
}

MappedOutput::MappedOutput(MappedOutput &&other) noexcept
    : path(std::move(other.path)), temporary(std::move(other.temporary)),
      base(other.base), bytes(other.bytes) {
  other.temporary.clear();
  other.base = nullptr;
}

MappedOutput::~MappedOutput() {
  if (base)
    munmap(base, bytes);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

Status MappedOutput::writeSpecial() {
  int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0)
    return systemError(path);
  uint64_t done = 0;
  while (done < bytes) {
    ssize_t written = write(descriptor, base + done, bytes - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      break;
    done += static_cast<uint64_t>(written);
  }
  Status status = done < bytes ? systemError(path) : Status();
  close(descriptor);
  return status;
}

Status MappedOutput::commit() {
  if (temporary.empty())
    return writeSpecial();
  if (base)
    munmap(base, bytes);
  base = nullptr;
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    return systemError(path);
  temporary.clear();
  return Status();
}

} // namespace partopt::rt
