//===- NcclApi.cpp - NCCL's functions -------------------------------------===//
//
// TEST ONLY. All ranks are in this process: calls are kept until their group
// ends, and a collective is one operation on the streams of all its members.
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "runtime/collectives/Combine.h"

#include <cstring>
#include <nccl.h>

using namespace partopt;
using namespace partopt::shim;

namespace {

/// A group of ranks, and one rank's end of it.
struct Team {
  std::vector<int> members; ///< numbers of the parent team, by place
};
struct End {
  std::shared_ptr<Team> team;
  int place = 0;
};

struct Call {
  enum class Kind {
    AllReduce,
    AllGather,
    ReduceScatter,
    Broadcast,
    Send,
    Recv
  };
  Kind kind;
  const End *end;
  const uint8_t *source;
  uint8_t *target;
  size_t count; ///< of the call: elements of one rank's part
  ncclDataType_t type;
  ncclRedOp_t operation;
  int peer; ///< or root
  Stream *stream;
};

struct Split {
  const End *parent;
  int color, key;
  End *made;
};

/// That joining the world takes of a device's memory.
constexpr uint64_t communicatorBytes = 1 << 20;

int depth = 0;
std::vector<Call> calls;
std::vector<Split> splits;
std::vector<std::pair<End *, int>> joins; ///< to the world, whose size is kept
int worldSize = 0;
ncclResult_t asyncError = ncclSuccess;

size_t sizeOf(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
  case ncclUint8:
    return 1;
  case ncclFloat16:
  case ncclBfloat16:
    return 2;
  case ncclInt64:
  case ncclUint64:
  case ncclFloat64:
    return 8;
  default:
    return 4;
  }
}

rt::CombineFunction combinerOf(ncclDataType_t type, ncclRedOp_t operation) {
  plan::ElementType element = plan::ElementType::F32;
  switch (type) {
  case ncclInt8:
    element = plan::ElementType::I8;
    break;
  case ncclUint8:
    element = plan::ElementType::U8;
    break;
  case ncclInt32:
    element = plan::ElementType::I32;
    break;
  case ncclUint32:
    element = plan::ElementType::U32;
    break;
  case ncclInt64:
    element = plan::ElementType::I64;
    break;
  case ncclUint64:
    element = plan::ElementType::U64;
    break;
  case ncclFloat16:
    element = plan::ElementType::F16;
    break;
  case ncclBfloat16:
    element = plan::ElementType::BF16;
    break;
  case ncclFloat64:
    element = plan::ElementType::F64;
    break;
  default:
    break;
  }
  return rt::combineFunction(element,
                             operation == ncclSum    ? plan::Combiner::Sum
                             : operation == ncclProd ? plan::Combiner::Product
                             : operation == ncclMin  ? plan::Combiner::Min
                                                     : plan::Combiner::Max);
}

/// The collective of all members; calls[i] is member i's.
void runTogether(const std::vector<Call> &members) {
  const Call &first = members.front();
  size_t n = members.size(), bytes = first.count * sizeOf(first.type);
  if (first.kind == Call::Kind::Broadcast) {
    std::vector<uint8_t> data(members[first.peer].source,
                              members[first.peer].source + bytes);
    for (const Call &call : members)
      std::memcpy(call.target, data.data(), bytes);
    return;
  }
  if (first.kind == Call::Kind::AllGather) {
    for (const Call &to : members)
      for (size_t from = 0; from < n; ++from)
        std::memcpy(to.target + from * bytes, members[from].source, bytes);
    return;
  }
  bool scatters = first.kind == Call::Kind::ReduceScatter;
  size_t all = scatters ? n * bytes : bytes;
  std::vector<uint8_t> sum(first.source, first.source + all);
  for (size_t i = 1; i < n; ++i)
    combinerOf(first.type, first.operation)(sum.data(), members[i].source,
                                            all / sizeOf(first.type));
  for (size_t i = 0; i < n; ++i)
    std::memcpy(members[i].target, sum.data() + (scatters ? i * bytes : 0),
                bytes);
}

std::vector<Access> accessesOf(const Call &call, size_t n) {
  size_t bytes = call.count * sizeOf(call.type);
  size_t read = call.kind == Call::Kind::ReduceScatter ? n * bytes : bytes;
  size_t written = call.kind == Call::Kind::AllGather ? n * bytes : bytes;
  std::vector<Access> accesses;
  if (call.source)
    accesses.push_back({reinterpret_cast<uint64_t>(call.source), read, false});
  if (call.target)
    accesses.push_back(
        {reinterpret_cast<uint64_t>(call.target), written, true});
  return accesses;
}

ncclResult_t enqueue(const std::vector<Call> &members,
                     std::function<void()> run) {
  Work work;
  work.name = "nccl";
  std::vector<Stream *> streams;
  for (const Call &call : members) {
    streams.push_back(call.stream);
    for (const Access &access : accessesOf(call, members.size()))
      work.accesses.push_back(access);
  }
  work.run = std::move(run);
  return Shim::get().enqueue(streams, std::move(work)) == CUDA_SUCCESS
             ? ncclSuccess
             : ncclUnhandledCudaError;
}

/// Takes the first open call of each member of the same team.
ncclResult_t runCollective(std::vector<Call> &open) {
  Call first = open.front();
  std::vector<Call> members;
  for (size_t place = 0; place < first.end->team->members.size(); ++place) {
    bool isFound = false;
    for (size_t i = 0; i < open.size() && !isFound; ++i) {
      const Call &call = open[i];
      if (call.end->team != first.end->team ||
          call.end->place != static_cast<int>(place))
        continue;
      if (call.kind != first.kind || call.count != first.count)
        return ncclInvalidUsage;
      members.push_back(call);
      open.erase(open.begin() + static_cast<long>(i));
      isFound = true;
    }
    if (!isFound)
      return ncclInvalidUsage; // a real one would hang
  }
  return enqueue(members, [members] { runTogether(members); });
}

ncclResult_t runMessage(std::vector<Call> &open) {
  Call first = open.front();
  open.erase(open.begin());
  bool sends = first.kind == Call::Kind::Send;
  for (size_t i = 0; i < open.size(); ++i) {
    Call other = open[i];
    if (other.kind != (sends ? Call::Kind::Recv : Call::Kind::Send) ||
        other.end->team != first.end->team || other.end->place != first.peer ||
        other.peer != first.end->place)
      continue;
    open.erase(open.begin() + static_cast<long>(i));
    const Call &from = sends ? first : other, &to = sends ? other : first;
    size_t bytes = from.count * sizeOf(from.type);
    return enqueue({from, to}, [from, to, bytes] {
      std::memmove(to.target, from.source, bytes);
    });
  }
  return ncclInvalidUsage;
}

ncclResult_t runSplits() {
  std::map<std::pair<Team *, int>, std::map<int, Split>> byColor;
  for (const Split &split : splits)
    byColor[{split.parent->team.get(), split.color}][split.key] = split;
  splits.clear();
  for (auto &[color, ends] : byColor) {
    auto team = std::make_shared<Team>();
    for (auto &[key, split] : ends) {
      split.made->team = team;
      split.made->place = static_cast<int>(team->members.size());
      team->members.push_back(split.parent->place);
    }
  }
  auto world = std::make_shared<Team>();
  for (int i = 0; i < worldSize && !joins.empty(); ++i)
    world->members.push_back(i);
  for (auto &[end, place] : joins) {
    end->team = world;
    end->place = place;
  }
  joins.clear();
  return ncclSuccess;
}

ncclResult_t finishGroup() {
  ncclResult_t result = runSplits();
  std::vector<Call> open = std::move(calls);
  calls.clear();
  while (!open.empty() && result == ncclSuccess)
    result = open.front().kind == Call::Kind::Send ||
                     open.front().kind == Call::Kind::Recv
                 ? runMessage(open)
                 : runCollective(open);
  return result;
}

ncclResult_t add(Call call) {
  calls.push_back(call);
  return depth > 0 ? ncclSuccess : finishGroup();
}

const End *endOf(ncclComm_t communicator) {
  return reinterpret_cast<const End *>(communicator);
}
Stream *streamOf(cudaStream_t stream) {
  return reinterpret_cast<Stream *>(stream);
}
const uint8_t *bytesOf(const void *data) {
  return static_cast<const uint8_t *>(data);
}

} // namespace

#define CALL(name)                                                             \
  if (int code = Shim::get().called(#name))                                    \
  return static_cast<ncclResult_t>(code)

extern "C" {

ncclResult_t ncclGetVersion(int *version) {
  CALL(ncclGetVersion);
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
const char *ncclGetErrorString(ncclResult_t) {
  return "a failure of the test's shim";
}
const char *ncclGetLastError(ncclComm_t) { return ""; }
ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  CALL(ncclGetUniqueId);
  std::memset(id, 0, sizeof(*id));
  asyncError = ncclSuccess;
  return ncclSuccess;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t *made, int ranks, ncclUniqueId,
                                    int rank, ncclConfig_t *) {
  CALL(ncclCommInitRankConfig);
  Shim::get().used[Shim::get().current] += communicatorBytes;
  auto *end = new End();
  worldSize = ranks;
  joins.emplace_back(end, rank);
  *made = reinterpret_cast<ncclComm_t>(end);
  return ncclSuccess;
}
ncclResult_t ncclCommSplit(ncclComm_t parent, int color, int key,
                           ncclComm_t *made, ncclConfig_t *) {
  CALL(ncclCommSplit);
  auto *end = new End();
  splits.push_back({endOf(parent), color, key, end});
  *made = reinterpret_cast<ncclComm_t>(end);
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  CALL(ncclCommDestroy);
  delete endOf(communicator);
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  CALL(ncclCommAbort);
  delete endOf(communicator);
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t *result) {
  // A failure that a test wants is not the call's but what it tells.
  if (int code = Shim::get().called("ncclCommGetAsyncError"))
    asyncError = static_cast<ncclResult_t>(code);
  *result = asyncError;
  return ncclSuccess;
}
ncclResult_t ncclGroupStart() {
  CALL(ncclGroupStart);
  ++depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  CALL(ncclGroupEnd);
  return --depth > 0 ? ncclSuccess : finishGroup();
}
ncclResult_t ncclAllReduce(const void *from, void *to, size_t count,
                           ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t communicator, cudaStream_t stream) {
  CALL(ncclAllReduce);
  return add({Call::Kind::AllReduce, endOf(communicator), bytesOf(from),
              static_cast<uint8_t *>(to), count, type, operation, 0,
              streamOf(stream)});
}
ncclResult_t ncclAllGather(const void *from, void *to, size_t count,
                           ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
  CALL(ncclAllGather);
  return add({Call::Kind::AllGather, endOf(communicator), bytesOf(from),
              static_cast<uint8_t *>(to), count, type, ncclSum, 0,
              streamOf(stream)});
}
ncclResult_t ncclReduceScatter(const void *from, void *to, size_t count,
                               ncclDataType_t type, ncclRedOp_t operation,
                               ncclComm_t communicator, cudaStream_t stream) {
  CALL(ncclReduceScatter);
  return add({Call::Kind::ReduceScatter, endOf(communicator), bytesOf(from),
              static_cast<uint8_t *>(to), count, type, operation, 0,
              streamOf(stream)});
}
ncclResult_t ncclBroadcast(const void *from, void *to, size_t count,
                           ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
  CALL(ncclBroadcast);
  return add({Call::Kind::Broadcast, endOf(communicator), bytesOf(from),
              static_cast<uint8_t *>(to), count, type, ncclSum, root,
              streamOf(stream)});
}
ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t communicator, cudaStream_t stream) {
  CALL(ncclSend);
  return add({Call::Kind::Send, endOf(communicator), bytesOf(from), nullptr,
              count, type, ncclSum, peer, streamOf(stream)});
}
ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  CALL(ncclRecv);
  return add({Call::Kind::Recv, endOf(communicator), nullptr,
              static_cast<uint8_t *>(to), count, type, ncclSum, peer,
              streamOf(stream)});
}
}
