//===- VerifyChannels.cpp - Both ends of every message agree --------------===//
//
// A Send and the Recv of its receiver are two instructions of two programs;
// they are paired by the classes that they join and their id.
//
//===----------------------------------------------------------------------===//

#include "ProgramView.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/Peers.h"

namespace partopt::plan {

namespace {

struct End {
  size_t view = 0, instruction = 0;
  const CollectiveStartT *op = nullptr;
};

std::string describe(const CollectiveStartT &op) {
  std::string text = std::string(collectiveName(op.kind)) + " of " +
                     elementName(op.type) + ", counts";
  for (uint64_t count : op.counts)
    text += " " + std::to_string(count);
  return text + ", stream " + std::to_string(op.stream) + ", " +
         std::to_string(op.trip_count) + " times";
}

class ChannelChecker {
public:
  ChannelChecker(const std::vector<ProgramView> &views, Problems &problems)
      : views(views), problems(problems), peers(views.front().plan) {}

  void run() {
    for (size_t i = 0; i < views.size(); ++i)
      collect(i);
    if (problems.empty())
      pair();
  }

private:
  void collect(size_t index);
  void collectMessage(const End &end);
  void useStream(const End &end);
  void pair();
  void compare(const Channel &channel, const End &send, const End &receive);
  std::string at(const End &end) const {
    return views[end.view].at(end.instruction);
  }

  const std::vector<ProgramView> &views;
  Problems &problems;
  Peers peers;
  std::map<Channel, End> sends, receives;
  /// By class and stream: the first use, and of a message its peer.
  std::map<std::pair<size_t, uint16_t>, End> streams;
};

void ChannelChecker::collect(size_t index) {
  const auto &instructions = views[index].program.instructions;
  for (size_t i = 0; i < instructions.size(); ++i)
    if (const auto *op = instructions[i]->op.AsCollectiveStart()) {
      End end{index, i, op};
      useStream(end);
      if (isMessage(*op))
        collectMessage(end);
    }
}

/// What waits in a stream holds up what is behind it.
void ChannelChecker::useStream(const End &end) {
  auto [known, isNew] =
      streams.emplace(std::make_pair(end.view, end.op->stream), end);
  const CollectiveStartT &first = *known->second.op;
  if (isNew || (!isMessage(first) && !isMessage(*end.op)))
    return;
  if (first.kind != end.op->kind || first.root != end.op->root ||
      !sameAxes(first.axes, end.op->axes))
    problems.add(at(end) + ": " + collectiveName(end.op->kind) +
                 " shares stream " + std::to_string(end.op->stream) +
                 " with the " + collectiveName(first.kind) +
                 " of instruction " +
                 std::to_string(known->second.instruction) +
                 ": messages of each direction and peer need a stream of their "
                 "own");
}

void ChannelChecker::collectMessage(const End &end) {
  const Peer &peer = peers.of(end.view, *end.op);
  if (!peer.problem.empty())
    return problems.add(at(end) + ": " + peer.problem);
  auto &ends = end.op->kind == CollectiveKind::Send ? sends : receives;
  auto [known, isNew] = ends.emplace(peers.channel(end.view, *end.op), end);
  if (!isNew)
    problems.add(at(end) + ": channel " + std::to_string(end.op->id) +
                 " is used by instruction " +
                 std::to_string(known->second.instruction) + " already");
}

void ChannelChecker::pair() {
  for (const auto &[channel, send] : sends) {
    auto receive = receives.find(channel);
    if (receive != receives.end())
      compare(channel, send, receive->second);
    else
      problems.add(at(send) + ": class '" + views[channel.to].rankClass.name +
                   "' does not receive channel " + std::to_string(channel.id));
  }
  for (const auto &[channel, receive] : receives)
    if (!sends.count(channel))
      problems.add(at(receive) + ": class '" +
                   views[channel.from].rankClass.name +
                   "' does not send channel " + std::to_string(channel.id));
}

void ChannelChecker::compare(const Channel &channel, const End &send,
                             const End &receive) {
  const CollectiveStartT &a = *send.op, &b = *receive.op;
  if (a.type != b.type || a.counts != b.counts || a.stream != b.stream ||
      a.trip_count != b.trip_count)
    return problems.add("channel " + std::to_string(channel.id) + ": " +
                        at(send) + " is a " + describe(a) + ", " + at(receive) +
                        " is a " + describe(b));
  if (!sameAxes(a.axes, b.axes) || peers.of(send.view, a).ownIndex != b.root ||
      peers.of(receive.view, b).ownIndex != a.root)
    problems.add("channel " + std::to_string(channel.id) + ": " + at(send) +
                 " sends to place " + std::to_string(a.root) + " over " +
                 views[send.view].mesh.axesText(a.axes) + ", " + at(receive) +
                 " receives from place " + std::to_string(b.root) + " over " +
                 views[receive.view].mesh.axesText(b.axes) +
                 ", which are not each other's");
}

} // namespace

void verifyChannels(const std::vector<ProgramView> &views, Problems &problems) {
  if (!views.empty())
    ChannelChecker(views, problems).run();
}

} // namespace partopt::plan
