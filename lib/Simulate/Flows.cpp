//===- Flows.cpp - Collectives on their streams and links -----------------===//
//
// The part of RankSimulation.h that moves messages.
//
//===----------------------------------------------------------------------===//

#include "RankSimulation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace partopt::simulate {

static constexpr double forever = std::numeric_limits<double>::infinity();

bool RankSimulation::isAlone(const Flow &flow) const {
  for (const std::deque<size_t> &stream : streams)
    if (!stream.empty()) {
      const Flow &other = flows[stream.front()];
      if (&other != &flow && other.link == flow.link)
        return false;
    }
  return true;
}

/// Sends one message, or as many of the run as begin before `until`: on a link
/// that nobody shares they follow each other at the same distance.
void RankSimulation::sendMessages(Flow &flow, double until, bool isAlone) {
  const MessageRun &run = flow.runs[flow.run];
  double own = machine.transportSeconds(run), occupied = 0, latency = 0;
  double begin = flow.ready;
  if (flow.link >= 0) {
    const LinkSpeed &link = machine.links[flow.link];
    occupied = link.occupancy(run.bytes);
    // That of a message alone is its receiver's.
    latency = run.isPipelined || flow.isMessage ? 0 : link.latency;
    begin = std::max(begin, linkFree[flow.link]);
  }
  if (flow.run == 0 && flow.sent == 0)
    flow.start = begin;
  double each = occupied + latency + own;
  uint64_t count = 1, left = run.count - flow.sent;
  if (isAlone && each == 0)
    count = left;
  else if (isAlone && until > begin)
    count = static_cast<uint64_t>(std::clamp(std::ceil((until - begin) / each),
                                             1.0, static_cast<double>(left)));
  flow.ready = begin + static_cast<double>(count) * each;
  if (flow.link >= 0)
    linkFree[flow.link] = flow.ready - latency - own;
  flow.sent += count;
  if (flow.sent == run.count) {
    flow.sent = 0;
    ++flow.run;
  }
}

/// The first of several runs is the one that is told.
void RankSimulation::record(const Flow &flow) {
  if (isRecorded[flow.record])
    return;
  isRecorded[flow.record] = true;
  result.collectives[flow.record].start = flow.start;
  result.collectives[flow.record].end = flow.end;
}

void RankSimulation::finish(Flow &flow) {
  flow.isDone = true;
  flow.end = flow.ready;
  if (flow.isMessage && flow.link >= 0)
    flow.end += machine.links[flow.link].latency;
  record(flow);
  if (timeline)
    timeline->transfers.push_back({result.collectives[flow.record].instruction,
                                   flow.turn, flow.start, flow.end});
}

/// The stream whose next message comes first.
std::deque<size_t> *RankSimulation::nextStream() {
  std::deque<size_t> *first = nullptr;
  for (std::deque<size_t> &stream : streams)
    if (!stream.empty() &&
        (!first || flows[stream.front()].ready < flows[first->front()].ready))
      first = &stream;
  return first;
}

/// Moves the stream's first flow by a message, or by those before `until`.
void RankSimulation::step(std::deque<size_t> &stream, double until) {
  Flow &flow = flows[stream.front()];
  if (flow.run < flow.runs.size())
    sendMessages(flow, until, isAlone(flow));
  if (flow.run < flow.runs.size())
    return;
  finish(flow);
  stream.pop_front();
  if (stream.empty())
    return;
  Flow &next = flows[stream.front()];
  next.ready = std::max(next.ready, flow.ready);
  next.start = next.ready;
}

void RankSimulation::advance(double until) {
  while (std::deque<size_t> *first = nextStream()) {
    if (flows[first->front()].ready >= until)
      return;
    step(*first, until);
  }
}

/// Other streams are moved no further than this one, so that what starts
/// afterwards finds their links as they will be.
void RankSimulation::advanceTo(const Flow &wanted) {
  std::deque<size_t> &own = streams[wanted.stream];
  while (!wanted.isDone) {
    std::deque<size_t> *first = nextStream();
    step(*first, first == &own ? forever : flows[own.front()].ready);
  }
}

} // namespace partopt::simulate
