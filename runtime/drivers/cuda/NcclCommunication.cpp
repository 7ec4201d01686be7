//===- NcclCommunication.cpp - A GPU for each rank ------------------------===//
//
// A collective is one group of calls, those of all its tensors and members, so
// that a bucket is one launch and one thread can drive all GPUs. Data that is
// only moved goes as bytes, whatever its type.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/NcclCommunication.h"
#include "runtime/drivers/cuda/NcclReduction.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"

#include <algorithm>
#include <map>

namespace partopt::rt {

using plan::CollectiveKind;

namespace {

class NcclCommunication : public Communication {
public:
  NcclCommunication(const Nccl &nccl, const plan::MeshMath &mesh,
                    const std::vector<RankResources> &ranks)
      : nccl(nccl), mesh(mesh), ranks(ranks), world(ranks.size()) {}
  ~NcclCommunication() override;

  Status join();

  bool hasLanePerMember() const override { return true; }
  bool countsBytes() const override { return false; }
  Status open(const StreamSchedule &schedule,
              std::vector<PerKind> &sent) override;
  Status start(const StreamSchedule &schedule, uint32_t group,
               const std::vector<Lane> &lanes) override;
  Status poll() override;
  void abort() override;
  std::string text() const override {
    return "NCCL " + nccl.versionText() + " (bytes sent are not counted)";
  }

private:
  /// Communicators of all ranks, by rank.
  using Communicators = std::vector<ncclComm_t>;
  /// Axes and a stream of the plan.
  using Key = std::pair<std::vector<std::tuple<uint16_t, uint32_t, uint32_t>>,
                        uint16_t>;

  Communicators all() const;
  static Key keyOf(const plan::CollectiveStartT &op);
  Status split(const plan::CollectiveStartT &op);
  static void addPlanned(const GroupCall &call, std::vector<PerKind> &sent);
  Status call(const GroupCall &group, size_t member, ncclComm_t communicator,
              CUstream stream);
  Status reduce(const plan::CollectiveStartT &op,
                const GroupCall::Member &member, uint64_t groupSize,
                ncclComm_t communicator, CUstream stream);
  Status exchange(const GroupCall &group, const GroupCall::Member &member,
                  size_t tensor, ncclComm_t communicator, CUstream stream);
  Status send(const void *data, uint64_t bytes, uint64_t to, ncclComm_t on,
              CUstream stream) const;
  Status receive(void *data, uint64_t bytes, uint64_t from, ncclComm_t on,
                 CUstream stream) const;
  Status grouped(const std::function<Status()> &calls) const;

  const Nccl &nccl;
  const plan::MeshMath &mesh;
  const std::vector<RankResources> &ranks;
  Communicators world;
  std::map<Key, Communicators> groups;
  bool isAborted = false;
};

/// Those that were made, parts before the whole.
NcclCommunication::Communicators NcclCommunication::all() const {
  Communicators made;
  for (const auto &[key, list] : groups)
    made.insert(made.end(), list.begin(), list.end());
  made.insert(made.end(), world.begin(), world.end());
  made.erase(std::remove(made.begin(), made.end(), nullptr), made.end());
  return made;
}

NcclCommunication::~NcclCommunication() {
  if (!isAborted)
    for (ncclComm_t communicator : all())
      nccl.ncclCommDestroy(communicator);
}

/// Runs calls as one; the first failure is what is reported.
Status NcclCommunication::grouped(const std::function<Status()> &calls) const {
  Status status = nccl.status(nccl.ncclGroupStart(), "ncclGroupStart");
  if (!status.ok())
    return status;
  status = calls();
  Status ended = nccl.status(nccl.ncclGroupEnd(), "ncclGroupEnd");
  return status.ok() ? ended : status;
}

Status NcclCommunication::join() {
  ncclUniqueId id;
  Status status = nccl.status(nccl.ncclGetUniqueId(&id), "ncclGetUniqueId");
  if (!status.ok())
    return status;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  return grouped([&] {
    Status made;
    for (size_t rank = 0; rank < ranks.size() && made.ok(); ++rank) {
      made = ranks[rank].gpu->makeCurrent();
      if (made.ok())
        made = nccl.status(nccl.ncclCommInitRankConfig(
                               &world[rank], static_cast<int>(ranks.size()), id,
                               static_cast<int>(rank), &config),
                           "ncclCommInitRankConfig");
    }
    return made;
  });
}

NcclCommunication::Key
NcclCommunication::keyOf(const plan::CollectiveStartT &op) {
  Key key;
  for (const plan::AxisRef &axis : op.axes)
    key.first.emplace_back(axis.axis(), axis.pre_size(), axis.size());
  key.second = op.stream;
  return key;
}

/// All ranks split at once, each into its group.
Status NcclCommunication::split(const plan::CollectiveStartT &op) {
  auto [found, isNew] = groups.try_emplace(keyOf(op), ranks.size());
  if (!isNew)
    return Status();
  Communicators &made = found->second;
  return grouped([&] {
    Status status;
    for (uint32_t rank = 0; rank < ranks.size() && status.ok(); ++rank) {
      status = ranks[rank].gpu->makeCurrent();
      if (status.ok())
        status = nccl.status(
            nccl.ncclCommSplit(world[rank],
                               static_cast<int>(mesh.groupId(rank, op.axes)),
                               static_cast<int>(mesh.groupIndex(rank, op.axes)),
                               &made[rank], nullptr),
            "ncclCommSplit", world[rank]);
    }
    return status;
  });
}

/// What NCCL puts on the links is its own; this is what the plan says.
void NcclCommunication::addPlanned(const GroupCall &call,
                                   std::vector<PerKind> &sent) {
  const plan::CollectiveStartT &op = *call.op;
  if (call.isMessage()) { // its sender's
    sent[call.members.front().rank]
        [static_cast<size_t>(CollectiveKind::Send)] +=
        plan::payloadBytes(op, call.groupSize);
    return;
  }
  for (const GroupCall::Member &member : call.members)
    sent[member.rank][static_cast<size_t>(op.kind)] +=
        plan::wireBytesSent(op, call.groupSize, member.index);
}

Status NcclCommunication::open(const StreamSchedule &schedule,
                               std::vector<PerKind> &sent) {
  for (const ScheduledGroup &group : schedule.groups) {
    const plan::CollectiveStartT &op = *group.call.op;
    bool reduces = op.kind == CollectiveKind::AllReduce ||
                   op.kind == CollectiveKind::ReduceScatter;
    if (reduces && !ncclReduction(op.type, op.combiner))
      return Status::badInput(
          std::string("NCCL has no reduction ") +
          plan::combinerName(op.combiner) + " of " +
          plan::elementName(op.type) + " (" + plan::collectiveName(op.kind) +
          " " + std::to_string(op.id) +
          "): cast to a type that it has, or let the ranks share one GPU");
    if (Status status = split(op); !status.ok())
      return status;
    addPlanned(group.call, sent);
  }
  return Status();
}

Status NcclCommunication::send(const void *data, uint64_t bytes, uint64_t to,
                               ncclComm_t on, CUstream stream) const {
  return nccl.status(
      nccl.ncclSend(data, bytes, ncclUint8, static_cast<int>(to), on, stream),
      "ncclSend", on);
}

Status NcclCommunication::receive(void *data, uint64_t bytes, uint64_t from,
                                  ncclComm_t on, CUstream stream) const {
  return nccl.status(
      nccl.ncclRecv(data, bytes, ncclUint8, static_cast<int>(from), on, stream),
      "ncclRecv", on);
}

Status NcclCommunication::reduce(const plan::CollectiveStartT &op,
                                 const GroupCall::Member &member,
                                 uint64_t groupSize, ncclComm_t communicator,
                                 CUstream stream) {
  NcclReduction how = *ncclReduction(op.type, op.combiner);
  Status status;
  for (size_t i = 0; i < op.counts.size() && status.ok(); ++i) {
    uint64_t count = op.counts[i] * how.parts;
    status =
        op.kind == CollectiveKind::AllReduce
            ? nccl.status(nccl.ncclAllReduce(
                              member.operands[i], member.results[i], count,
                              how.type, how.operation, communicator, stream),
                          "ncclAllReduce", communicator)
            : nccl.status(
                  nccl.ncclReduceScatter(member.operands[i], member.results[i],
                                         count / groupSize, how.type,
                                         how.operation, communicator, stream),
                  "ncclReduceScatter", communicator);
  }
  return status;
}

/// What a member sends and receives of one tensor.
Status NcclCommunication::exchange(const GroupCall &group,
                                   const GroupCall::Member &member,
                                   size_t tensor, ncclComm_t communicator,
                                   CUstream stream) {
  const plan::CollectiveStartT &op = *group.op;
  uint64_t bytes = op.counts[tensor] * plan::elementSize(op.type);
  uint64_t n = group.groupSize;
  if (op.kind == CollectiveKind::Permute) {
    uint64_t from = 0;
    while (op.permutation[from] != member.index)
      ++from;
    Status status = send(member.operands[tensor], bytes,
                         op.permutation[member.index], communicator, stream);
    return status.ok() ? receive(member.results[tensor], bytes, from,
                                 communicator, stream)
                       : status;
  }
  Status status; // all_to_all
  for (uint64_t peer = 0; peer < n && status.ok(); ++peer) {
    status = send(member.operands[tensor] + peer * (bytes / n), bytes / n, peer,
                  communicator, stream);
    if (status.ok())
      status = receive(member.results[tensor] + peer * (bytes / n), bytes / n,
                       peer, communicator, stream);
  }
  return status;
}

Status NcclCommunication::call(const GroupCall &group, size_t index,
                               ncclComm_t communicator, CUstream stream) {
  const plan::CollectiveStartT &op = *group.op;
  const GroupCall::Member &member = group.members[index];
  if (op.kind == CollectiveKind::AllReduce ||
      op.kind == CollectiveKind::ReduceScatter)
    return reduce(op, member, group.groupSize, communicator, stream);
  Status status;
  for (size_t i = 0; i < op.counts.size() && status.ok(); ++i) {
    uint64_t bytes = op.counts[i] * plan::elementSize(op.type);
    if (group.isMessage()) {
      uint32_t peer = group.members[1 - index].index;
      status =
          index == 0
              ? send(member.operands[i], bytes, peer, communicator, stream)
              : receive(member.results[i], bytes, peer, communicator, stream);
    } else if (op.kind == CollectiveKind::AllGather) {
      status = nccl.status(nccl.ncclAllGather(member.operands[i],
                                              member.results[i], bytes,
                                              ncclUint8, communicator, stream),
                           "ncclAllGather", communicator);
    } else if (op.kind == CollectiveKind::Broadcast) {
      status = nccl.status(
          nccl.ncclBroadcast(member.operands[i], member.results[i], bytes,
                             ncclUint8, static_cast<int>(op.root), communicator,
                             stream),
          "ncclBroadcast", communicator);
    } else {
      status = exchange(group, member, i, communicator, stream);
    }
  }
  return status;
}

Status NcclCommunication::start(const StreamSchedule &schedule, uint32_t group,
                                const std::vector<Lane> &lanes) {
  const GroupCall &of = schedule.groups[group].call;
  const Communicators &communicators = groups.at(keyOf(*of.op));
  return grouped([&] {
    Status status;
    for (size_t i = 0; i < of.members.size() && status.ok(); ++i) {
      status = lanes[i].gpu->makeCurrent();
      if (status.ok())
        status =
            call(of, i, communicators[of.members[i].rank], lanes[i].stream);
    }
    return status;
  });
}

Status NcclCommunication::poll() {
  for (const auto &[key, list] : groups)
    for (size_t rank = 0; rank < list.size(); ++rank) {
      ncclResult_t result = ncclSuccess;
      Status status =
          nccl.status(nccl.ncclCommGetAsyncError(list[rank], &result),
                      "ncclCommGetAsyncError");
      if (status.ok() && result != ncclInProgress)
        status = nccl.status(result, "a collective in flight", list[rank]);
      if (!status.ok())
        return Status(status.code(),
                      "rank " + std::to_string(rank) + ": " + status.message());
    }
  return Status();
}

void NcclCommunication::abort() {
  isAborted = true;
  for (ncclComm_t communicator : all())
    nccl.ncclCommAbort(communicator);
}

} // namespace

Status openNccl(const plan::MeshMath &mesh,
                const std::vector<RankResources> &ranks,
                std::unique_ptr<Communication> &communication) {
  StatusOr<const Nccl *> nccl = Nccl::get();
  if (!nccl.ok())
    return nccl.status();
  auto opened = std::make_unique<NcclCommunication>(**nccl, mesh, ranks);
  Status status = opened->join();
  communication = std::move(opened);
  return status.ok()
             ? status
             : Status::badInput(communication->text() +
                                " does not join the GPUs: " + status.message());
}

} // namespace partopt::rt
