//===- Shim.cpp - A stand-in for the CUDA driver, for tests ---------------===//
//
// TEST ONLY. The order of things: streams, events, captures and graphs.
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace partopt::shim {

Shim &Shim::get() {
  static Shim shim;
  return shim;
}

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

static std::string text(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

void Shim::reset() {
  detector = RaceDetector();
  counts.clear();
  used.clear();
  failures.clear();
  devices = static_cast<int>(number("PARTOPT_SHIM_DEVICES", 1));
  version = static_cast<int>(number("PARTOPT_SHIM_VERSION", CUDA_VERSION));
  capability = static_cast<int>(number("PARTOPT_SHIM_CAPABILITY", 0));
  memory = number("PARTOPT_SHIM_MEMORY", uint64_t(64) << 30);
  uint64_t seed = number("PARTOPT_SHIM_SEED", 1);
  isShuffled = seed != 0;
  random.seed(seed);
  busy = number("PARTOPT_SHIM_BUSY", 0);
  logPath = text("PARTOPT_SHIM_LOG");
  readFailure(text("PARTOPT_SHIM_FAIL"));
  readKernels(text("PARTOPT_SHIM_KERNELS"));
}

void Shim::readFailure(const std::string &spec) {
  std::istringstream parts(spec);
  std::string call, index, code;
  if (std::getline(parts, call, ':') && std::getline(parts, index, ':') &&
      std::getline(parts, code))
    failAt(call, std::strtoull(index.c_str(), nullptr, 10),
           std::atoi(code.c_str()));
}

void Shim::readKernels(const std::string &path) {
  std::ifstream file(path);
  for (std::string row; std::getline(file, row);) {
    std::string symbol = row.substr(0, row.find(' '));
    describe(symbol, row.substr(symbol.size()));
  }
}

void Shim::describe(const std::string &symbol, const std::string &accesses) {
  std::istringstream words(accesses);
  std::vector<Access> &list = kernels[symbol];
  list.clear();
  for (std::string word; words >> word;)
    list.push_back(
        {0, std::strtoull(word.c_str() + 1, nullptr, 10), word[0] == 'w'});
}

int Shim::called(const char *name) {
  uint64_t count = ++counts[name];
  if (!logPath.empty())
    std::ofstream(logPath, std::ios::app) << name << "\n";
  auto failure = failures.find(name);
  bool fails = failure != failures.end() && failure->second.first == count;
  return fails ? failure->second.second : 0;
}

uint64_t Shim::calls(const std::string &name) const {
  auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

const std::vector<Access> *Shim::accessesOf(const std::string &symbol) const {
  auto found = kernels.find(symbol);
  return found == kernels.end() ? nullptr : &found->second;
}

// ---- operations ------------------------------------------------------------

uint64_t Shim::submit(unsigned lane, std::vector<uint64_t> after, Clock &clock,
                      const Work &work) {
  uint64_t id = nextOperation++;
  clock.join(host);
  clock.set(lane, id);
  detector.check(work.name, lane, id, clock, work.accesses);
  pending[id] = {std::move(after), work.run};
  return id;
}

/// In an order that streams and events allow.
void Shim::runAll() {
  while (!pending.empty()) {
    std::vector<uint64_t> ready;
    for (const auto &[id, operation] : pending) {
      bool isReady = std::none_of(
          operation.after.begin(), operation.after.end(),
          [&](uint64_t before) { return pending.count(before) > 0; });
      if (isReady)
        ready.push_back(id);
      if (isReady && (!isShuffled || ready.size() >= 32))
        break;
    }
    uint64_t id = ready[isShuffled ? random() % ready.size() : 0];
    std::function<void()> run = std::move(pending[id].run);
    pending.erase(id);
    run();
  }
}

CUresult Shim::synchronize(const Clock &clock) {
  runAll();
  host.join(clock);
  return detector.races > 0 ? CUDA_ERROR_ASSERT : CUDA_SUCCESS;
}

/// An operation on several streams, as NCCL's are, comes after what is on any
/// of them, and before what is put on any of them next.
CUresult Shim::enqueue(const std::vector<Stream *> &streams, Work work) {
  Stream &stream = *streams.front();
  for (const Stream *other : streams)
    if (other->capture != stream.capture)
      return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  if (stream.capture) {
    Node node{std::move(work), &stream, {}};
    for (const Stream *other : streams)
      node.after.insert(node.after.end(), other->nodeTail.begin(),
                        other->nodeTail.end());
    std::vector<Node> &nodes = stream.capture->graph.nodes;
    for (Stream *other : streams)
      other->nodeTail = {nodes.size()};
    nodes.push_back(std::move(node));
    return CUDA_SUCCESS;
  }
  std::vector<uint64_t> after;
  Clock clock;
  for (const Stream *other : streams) {
    after.insert(after.end(), other->tail.begin(), other->tail.end());
    clock.join(other->clock);
  }
  uint64_t id = submit(stream.lane, std::move(after), clock, work);
  for (Stream *other : streams) {
    other->tail = {id};
    other->clock = clock;
  }
  return CUDA_SUCCESS;
}

CUresult Shim::record(Event &event, Stream &stream) {
  event.isRecorded = true;
  event.clock = stream.clock;
  event.tail = stream.tail;
  event.capture = stream.capture;
  event.nodeTail = stream.nodeTail;
  event.when = ++ticks;
  return CUDA_SUCCESS;
}

template <typename List> static void append(List &list, const List &more) {
  for (auto one : more)
    if (std::find(list.begin(), list.end(), one) == list.end())
      list.push_back(one);
}

CUresult Shim::wait(Stream &stream, const Event &event) {
  if (!event.isRecorded)
    return CUDA_SUCCESS; // as the driver has it
  if (!event.capture) {
    if (stream.capture)
      return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    append(stream.tail, event.tail);
    stream.clock.join(event.clock);
    return CUDA_SUCCESS;
  }
  if (stream.capture && stream.capture != event.capture)
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  if (!stream.capture) {
    stream.capture = event.capture;
    stream.nodeTail.clear();
    event.capture->streams.insert(&stream);
  }
  append(stream.nodeTail, event.nodeTail);
  return CUDA_SUCCESS;
}

// ---- graphs ----------------------------------------------------------------

CUresult Shim::beginCapture(Stream &stream) {
  if (stream.capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  captures.push_back(std::make_unique<Capture>());
  stream.capture = captures.back().get();
  stream.capture->origin = &stream;
  stream.capture->streams = {&stream};
  stream.nodeTail.clear();
  return CUDA_SUCCESS;
}

/// Whether everything that was captured is before the end of its origin.
static bool isJoined(const Capture &capture) {
  std::vector<bool> reached(capture.graph.nodes.size());
  std::vector<size_t> open = capture.origin->nodeTail;
  while (!open.empty()) {
    size_t node = open.back();
    open.pop_back();
    if (reached[node])
      continue;
    reached[node] = true;
    append(open, capture.graph.nodes[node].after);
  }
  return std::find(reached.begin(), reached.end(), false) == reached.end();
}

CUresult Shim::endCapture(Stream &stream, Graph *&graph) {
  Capture *capture = stream.capture;
  if (!capture || capture->origin != &stream)
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  bool joined = isJoined(*capture);
  for (Stream *one : capture->streams)
    one->capture = nullptr;
  if (!joined)
    return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  graph = new Graph(std::move(capture->graph));
  return CUDA_SUCCESS;
}

CUresult Shim::launch(Graph &graph, Stream &stream) {
  if (stream.capture)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  std::vector<uint64_t> ids;
  std::vector<Clock> clocks;
  std::vector<bool> isLeaf(graph.nodes.size(), true);
  for (const Node &node : graph.nodes) {
    std::vector<uint64_t> after =
        node.after.empty() ? stream.tail : std::vector<uint64_t>();
    Clock clock = node.after.empty() ? stream.clock : Clock();
    for (size_t before : node.after) {
      after.push_back(ids[before]);
      clock.join(clocks[before]);
      isLeaf[before] = false;
    }
    auto [lane, isNew] = graph.lanes.try_emplace(node.stream, lanes);
    lanes += isNew;
    ids.push_back(submit(lane->second, std::move(after), clock, node.work));
    clocks.push_back(std::move(clock));
  }
  std::vector<uint64_t> tail;
  for (size_t i = 0; i < ids.size(); ++i)
    if (isLeaf[i]) {
      tail.push_back(ids[i]);
      stream.clock.join(clocks[i]);
    }
  if (!ids.empty())
    stream.tail = tail;
  return CUDA_SUCCESS;
}

} // namespace partopt::shim

// ---- for tests in the same process -----------------------------------------

using partopt::shim::Shim;

extern "C" {
void partoptShimReset() { Shim::get().reset(); }
uint64_t partoptShimCalls(const char *name) { return Shim::get().calls(name); }
uint64_t partoptShimRaces() { return Shim::get().races(); }
void partoptShimFail(const char *call, uint64_t number, int code) {
  Shim::get().failAt(call, number, code);
}
void partoptShimDescribe(const char *symbol, const char *accesses) {
  Shim::get().describe(symbol, accesses);
}
}
