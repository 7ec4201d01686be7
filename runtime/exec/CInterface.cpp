//===- CInterface.cpp - The runtime's C interface -------------------------===//
//
// runtime.h over Session: checks what a C caller can get wrong and turns a
// status into a code and a text.
//
//===----------------------------------------------------------------------===//

#include "partopt-rt/runtime.h"

#include "partopt-rt/Session.h"
#include "partopt/Plan/ElementTypes.h"
#include "runtime/run/Compare.h"
#include "runtime/run/Inputs.h"

#include <cstring>
#include <numeric>

using namespace partopt;
using namespace partopt::rt;

struct partopt_session {
  std::unique_ptr<Session> session;
  std::vector<std::vector<const plan::ArgumentT *>> arguments; // by entry
  std::vector<std::vector<const plan::ResultT *>> results;     // by entry
};

namespace {

thread_local std::string lastError;

int finish(const Status &status) {
  lastError = status.message();
  return static_cast<int>(status.code());
}

/// The tensor of an item, or null when entry or index are out of range.
template <typename Items>
const plan::TensorT *tensorAt(const Items &byEntry, int entry, size_t index) {
  if (entry < 0 || static_cast<size_t>(entry) >= byEntry.size() ||
      index >= byEntry[entry].size())
    return nullptr;
  return byEntry[entry][index]->tensor.get();
}

uint64_t bytesOf(const plan::TensorT *tensor) {
  return tensor ? plan::elementCount(tensor->global_shape) *
                      plan::elementSize(tensor->type)
                : 0;
}

Status checkArray(const plan::TensorT *tensor, const void *data,
                  uint64_t bytes) {
  if (!tensor)
    return Status::badInput("no such entry or index");
  if (bytes != bytesOf(tensor) || (bytes > 0 && !data))
    return Status::badInput(
        "'" + tensor->name + "' has " + std::to_string(bytesOf(tensor)) +
        " bytes, the array given has " + std::to_string(bytes));
  return Status();
}

Status checkEntry(const partopt_session *session, int entry) {
  if (entry < 0 || static_cast<size_t>(entry) >= session->arguments.size())
    return Status::badInput("no such entry: " + std::to_string(entry));
  return Status();
}

/// Reads from the caller's array.
class MemorySource : public ArraySource {
public:
  MemorySource(const void *data, uint64_t elementBytes)
      : data(static_cast<const uint8_t *>(data)), elementBytes(elementBytes) {}
  void read(uint64_t first, uint64_t count, uint8_t *out) const override {
    if (count > 0)
      std::memcpy(out, data + first * elementBytes, count * elementBytes);
  }

private:
  const uint8_t *data;
  uint64_t elementBytes;
};

} // namespace

const char *partopt_last_error(void) { return lastError.c_str(); }

int partopt_session_load(const char *plan_path, double timeout_seconds,
                         partopt_session **session) {
  SessionOptions options;
  if (timeout_seconds > 0)
    options.collectiveTimeout =
        std::chrono::milliseconds(static_cast<int64_t>(timeout_seconds * 1000));
  StatusOr<std::unique_ptr<Session>> loaded = Session::load(plan_path, options);
  if (!loaded.ok())
    return finish(loaded.status());
  auto handle = std::make_unique<partopt_session>();
  handle->session = std::move(*loaded);
  for (size_t i = 0; i < handle->session->plan().entries.size(); ++i) {
    handle->arguments.push_back(handle->session->arguments(i));
    handle->results.push_back(handle->session->results(i));
  }
  *session = handle.release();
  return finish(Status());
}

void partopt_session_free(partopt_session *session) { delete session; }

int partopt_find_entry(const partopt_session *session, const char *name) {
  return session->session->findEntry(name);
}

size_t partopt_num_arguments(const partopt_session *session, int entry) {
  return checkEntry(session, entry).ok() ? session->arguments[entry].size() : 0;
}

size_t partopt_num_results(const partopt_session *session, int entry) {
  return checkEntry(session, entry).ok() ? session->results[entry].size() : 0;
}

const char *partopt_argument_name(const partopt_session *session, int entry,
                                  size_t index) {
  const plan::TensorT *tensor = tensorAt(session->arguments, entry, index);
  return tensor ? tensor->name.c_str() : nullptr;
}

const char *partopt_result_name(const partopt_session *session, int entry,
                                size_t index) {
  const plan::TensorT *tensor = tensorAt(session->results, entry, index);
  return tensor ? tensor->name.c_str() : nullptr;
}

uint64_t partopt_argument_bytes(const partopt_session *session, int entry,
                                size_t index) {
  return bytesOf(tensorAt(session->arguments, entry, index));
}

uint64_t partopt_result_bytes(const partopt_session *session, int entry,
                              size_t index) {
  return bytesOf(tensorAt(session->results, entry, index));
}

int partopt_set_argument(partopt_session *session, int entry, size_t index,
                         const void *data, uint64_t bytes) {
  const plan::TensorT *tensor = tensorAt(session->arguments, entry, index);
  Status status = checkArray(tensor, data, bytes);
  if (status.ok())
    status = session->session->setArgument(
        entry, index, MemorySource(data, plan::elementSize(tensor->type)));
  return finish(status);
}

int partopt_set_inputs(partopt_session *session, int entry,
                       const char *source) {
  Status status = checkEntry(session, entry);
  if (!status.ok())
    return finish(status);
  Inputs inputs(*session->session, entry);
  StatusOr<int64_t> seed = randomSeed(source);
  if (!seed.ok())
    return finish(seed.status());
  if (*seed >= 0)
    return finish(inputs.setRandom(static_cast<uint64_t>(*seed), false));
  StatusOr<std::shared_ptr<SafetensorsFile>> file =
      SafetensorsFile::open(source);
  if (!file.ok())
    return finish(file.status());
  return finish(inputs.setFromFile(**file, false));
}

int partopt_step(partopt_session *session, int entry) {
  Status status = checkEntry(session, entry);
  return finish(status.ok() ? session->session->step(entry) : status);
}

int partopt_get_result(partopt_session *session, int entry, size_t index,
                       void *data, uint64_t bytes) {
  const plan::TensorT *tensor = tensorAt(session->results, entry, index);
  Status status = checkArray(tensor, data, bytes);
  if (!status.ok())
    return finish(status);
  ArrayCopy copy(*tensor);
  status = session->session->readResult(entry, index, copy);
  if (status.ok() && bytes > 0)
    std::memcpy(data, copy.bytes().data(), bytes);
  return finish(status);
}

uint64_t partopt_wire_bytes(const partopt_session *session, uint32_t rank) {
  SessionStats stats = session->session->stats();
  if (rank >= stats.wireBytes.size())
    return 0;
  return std::accumulate(stats.wireBytes[rank].begin(),
                         stats.wireBytes[rank].end(), uint64_t(0));
}

uint64_t partopt_memory_bytes(const partopt_session *session, uint32_t rank) {
  SessionStats stats = session->session->stats();
  return rank < stats.arenaBytes.size()
             ? stats.arenaBytes[rank] + stats.residentBytes[rank]
             : 0;
}

int partopt_check_counts(const partopt_session *session) {
  return finish(session->session->checkCounts());
}
