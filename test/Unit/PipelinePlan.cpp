//===- PipelinePlan.cpp - A small pipeline as a plan ----------------------===//
//
// See PipelinePlan.h.
//
//===----------------------------------------------------------------------===//

#include "PipelinePlan.h"

#include "TestKernels.h"
#include "TestPlan.h"

#include <algorithm>

namespace partopt::test {

using namespace plan;

pipeline::Schedule Pipeline::order() const {
  pipeline::ScheduleShape shape;
  shape.ranks = static_cast<int>(ranks);
  shape.microbatches = static_cast<int>(microbatches);
  return pipeline::makeSchedule(schedule, shape);
}

namespace {

enum Kernels { Slice, Stage, Loss, Back, Weight, Clear, Update };

std::string kernelSource(uint64_t width) {
  return "enum { N = " + std::to_string(width) + R"( };
void slice(void **a) { float *x = a[0]; int i = *(int *)a[1]; float *y = a[2];
  for (int j = 0; j < N; ++j) y[j] = x[i * N + j]; }
void stage(void **a) { float *x = a[0], *w = a[1], *y = a[2];
  for (int j = 0; j < N; ++j) y[j] = w[j] * x[j] + x[j] * x[j]; }
void loss(void **a) { float *y = a[0], *l = a[1], *n = a[2]; float sum = *l;
  for (int j = 0; j < N; ++j) sum += 0.5f * y[j] * y[j]; *n = sum; }
void back(void **a) { float *x = a[0], *w = a[1], *g = a[2], *d = a[3];
  for (int j = 0; j < N; ++j) d[j] = g[j] * (w[j] + 2 * x[j]); }
void weight(void **a) { float *x = a[0], *g = a[1], *s = a[2], *n = a[3];
  for (int j = 0; j < N; ++j) n[j] = s[j] + g[j] * x[j]; }
void clear(void **a) { float *s = a[0], *l = a[1];
  for (int j = 0; j < N; ++j) s[j] = 0; *l = 0; }
void update(void **a) { float *w = a[0], *s = a[1], *n = a[2];
  for (int j = 0; j < N; ++j) n[j] = w[j] - 0.1f * s[j]; }
)";
}

/// Turns of one rank, from its order.
std::vector<Turn> turnsOf(const Pipeline &pipeline, uint32_t rank) {
  std::vector<Turn> turns;
  auto add = [&](uint32_t loop, int microbatch) {
    turns.emplace_back(loop, static_cast<uint32_t>(microbatch));
  };
  pipeline::Schedule schedule = pipeline.order();
  for (const pipeline::Step &step : schedule.ranks[rank]) {
    int microbatch = step.action.microbatch;
    switch (step.action.kind) {
    case pipeline::ActionKind::Forward:
      add(pipelined::Forward, microbatch);
      break;
    case pipeline::ActionKind::InputGrad:
      add(pipelined::InputGrad, microbatch);
      break;
    case pipeline::ActionKind::WeightGrad:
      add(pipelined::WeightGrad, microbatch);
      break;
    case pipeline::ActionKind::Backward:
      add(pipelined::InputGrad, microbatch);
      if (!pipeline.isFused())
        add(pipelined::WeightGrad, microbatch);
      break;
    }
  }
  return turns;
}

/// The fewest slots of what loop `writer` makes, `ahead` turns before its own,
/// and loop `reader` is the last to read.
uint32_t slotsFor(const std::vector<Turn> &turns, uint32_t writer,
                  uint32_t reader, uint32_t ahead) {
  std::vector<uint32_t> writes, reads;
  for (uint32_t i = 0; i < turns.size(); ++i) {
    if (turns[i].loop() == writer)
      writes.push_back(i < ahead ? 0 : i - ahead);
    if (turns[i].loop() == reader)
      reads.push_back(i);
  }
  uint32_t slots = 1;
  auto fits = [&] {
    for (size_t i = slots; i < writes.size(); ++i)
      if (reads[i - slots] >= writes[i])
        return false;
    return true;
  };
  while (!fits())
    ++slots;
  return slots;
}

/// The program of one stage.
class StageBuilder {
public:
  StageBuilder(TestPlan &plan, const Pipeline &pipeline, uint32_t stage)
      : b(plan), pipeline(pipeline), stage(stage),
        isLast(stage + 1 == pipeline.ranks), pipe{b.axis("pipe")},
        data{b.axis("data")}, turns(turnsOf(pipeline, stage)) {}

  void build() {
    declare();
    b.launch(Clear, {}, {zeros, zero});
    auto first = static_cast<uint32_t>(b.program().instructions.size());
    forward();
    backward();
    if (!pipeline.isFused())
      weightGrad();
    auto interleave = std::make_unique<InterleaveT>();
    interleave->first = first;
    interleave->last =
        static_cast<uint32_t>(b.program().instructions.size() - 1);
    interleave->turns = turns;
    interleave->ahead = pipeline.ahead;
    b.program().turns = std::move(interleave);
    finish();
  }

private:
  uint32_t buffer(uint64_t count, uint32_t slots = 1) {
    uint32_t number = b.buffer(count * sizeof(float));
    b.program().buffers[number]->slots = slots;
    return number;
  }
  /// Streams by the sender and the direction, so that no rank's are shared.
  uint16_t stream(uint32_t sender, bool up) const {
    return static_cast<uint16_t>(1 + sender % 2 + (up ? 0 : 2));
  }
  void declare();
  void forward();
  void backward();
  void weightGrad();
  void finish();

  TestPlan &b;
  const Pipeline &pipeline;
  uint32_t stage;
  bool isLast;
  AxisList pipe, data;
  std::vector<Turn> turns;
  uint32_t w = 0, rows = 0, x = 0, y = 0, dy = 0, dx = 0;
  uint32_t zeros = 0, zero = 0, sum = 0, nextSum = 0, loss = 0, nextLoss = 0;
  uint32_t allSums = 0, nextW = 0;
};

void StageBuilder::declare() {
  uint64_t n = pipeline.width;
  w = b.argument("w" + std::to_string(stage), {n}, {}, ElementType::F32,
                 Role::Param);
  ProgramT &program = b.program();
  program.arguments.back()->tensor->index_name = "arg" + std::to_string(stage);
  if (stage == 0) {
    rows = b.argument("x", {pipeline.microbatches * pipeline.replicas, n},
                      {{b.axis("data"), b.axis("micro")}});
    program.arguments.back()->tensor->index_name =
        "arg" + std::to_string(pipeline.ranks);
  } else {
    buffer(n); // so that what follows has one number on all stages
  }
  uint32_t last =
      pipeline.isFused() ? pipelined::InputGrad : pipelined::WeightGrad;
  bool receives = stage > 0;
  x = buffer(n, slotsFor(turns, pipelined::Forward, last,
                         receives ? pipeline.ahead : 0));
  y = buffer(n, isLast ? slotsFor(turns, pipelined::Forward, last, 0) : 2);
  dy = isLast ? y
              : buffer(n, slotsFor(turns, pipelined::InputGrad, last,
                                   pipeline.ahead));
  dx = buffer(n, 2);
  zeros = buffer(n);
  zero = buffer(1);
  sum = buffer(n);
  nextSum = buffer(n);
  loss = buffer(1);
  nextLoss = buffer(1);
  allSums = buffer(n);
  nextW = buffer(n);
}

void StageBuilder::forward() {
  uint32_t index = buffer(1);
  std::vector<uint32_t> inits, carried, nexts;
  if (isLast) {
    inits = {zero};
    carried = {loss};
    nexts = {nextLoss};
  }
  b.beginLoop("micro", index, inits, carried);
  if (stage > 0)
    b.wait(b.receive(pipe, stage - 1, 0, stream(stage - 1, true), x,
                     pipeline.width, pipeline.microbatches));
  else
    b.launch(Slice, {rows, index}, {x});
  b.launch(Stage, {x, w}, {y}).flops = pipeline.stageFlops;
  if (isLast)
    b.launch(Loss, {y, loss}, {nextLoss});
  else
    b.send(pipe, stage + 1, 0, stream(stage, true), y, pipeline.width,
           pipeline.microbatches);
  b.endLoop(nexts, carried);
}

void StageBuilder::backward() {
  uint32_t index = buffer(1);
  std::vector<uint32_t> inits, carried, nexts;
  if (pipeline.isFused()) {
    inits = {zeros};
    carried = {sum};
    nexts = {nextSum};
  }
  b.beginLoop("micro", index, inits, carried);
  if (!isLast)
    b.wait(b.receive(pipe, stage + 1, 1, stream(stage + 1, false), dy,
                     pipeline.width, pipeline.microbatches));
  if (stage > 0)
    b.launch(Back, {x, w, dy}, {dx}).flops = pipeline.backFlops;
  if (pipeline.isFused())
    b.launch(Weight, {x, dy, sum}, {nextSum}).flops = pipeline.weightFlops;
  if (stage > 0)
    b.send(pipe, stage - 1, 1, stream(stage, false), dx, pipeline.width,
           pipeline.microbatches);
  b.endLoop(nexts, carried);
}

void StageBuilder::weightGrad() {
  uint32_t index = buffer(1);
  b.beginLoop("micro", index, {zeros}, {sum});
  b.launch(Weight, {x, dy, sum}, {nextSum}).flops = pipeline.weightFlops;
  b.endLoop({nextSum}, {sum});
}

void StageBuilder::finish() {
  auto reduce = [&](uint32_t from, uint32_t to, uint64_t count, uint32_t id) {
    CollectiveStartT &op = b.start(CollectiveKind::AllReduce, data, {from},
                                   {to}, {count}, Combiner::Sum);
    op.id = id;
    b.wait(op.event);
  };
  reduce(sum, allSums, pipeline.width, 2);
  b.launch(Update, {w, allSums}, {nextW});
  if (isLast) {
    reduce(loss, nextLoss, 1, 3);
    b.result("loss", nextLoss, {}, {});
  }
  b.result("w" + std::to_string(stage), nextW, {pipeline.width}, {}, 0);
  b.program().results.back()->tensor->index_name =
      "out" + std::to_string(stage + 1);
}

} // namespace

std::unique_ptr<PlanT> pipelinePlan(const Pipeline &pipeline) {
  TestPlan b({{"pipe", pipeline.ranks},
              {"data", pipeline.replicas},
              {"micro", pipeline.microbatches}});
  PlanT &plan = b.plan();
  plan.mesh[2]->kind = AxisKind::Time;
  plan.devices = pipeline.ranks * pipeline.replicas;
  plan.rank_class.clear();
  for (uint32_t rank = 0; rank < plan.devices; ++rank)
    plan.rank_class.push_back(static_cast<uint16_t>(rank / pipeline.replicas));
  plan.entries[0]->loss_result = 0;
  plan.classes[0]->name = "stage0";
  plan.classes[0]->kernels = compileKernels(
      kernelSource(pipeline.width),
      {"slice", "stage", "loss", "back", "weight", "clear", "update"});
  for (uint32_t stage = 0; stage < pipeline.ranks; ++stage) {
    if (stage > 0)
      b.addClass("stage" + std::to_string(stage));
    StageBuilder(b, pipeline, stage).build();
  }
  return b.finish();
}

std::vector<std::vector<float>>
pipelineStep(const Pipeline &pipeline, const std::vector<float> &rows,
             const std::vector<std::vector<float>> &parameters) {
  size_t n = pipeline.width;
  std::vector<std::vector<float>> results = parameters;
  std::vector<std::vector<float>> sums(parameters.size(),
                                       std::vector<float>(n));
  float loss = 0;
  for (size_t first = 0; first < rows.size(); first += n)
    for (size_t j = 0; j < n; ++j) {
      std::vector<float> x = {rows[first + j]};
      for (const std::vector<float> &w : parameters)
        x.push_back(w[j] * x.back() + x.back() * x.back());
      loss += 0.5f * x.back() * x.back();
      float gradient = x.back();
      for (size_t s = parameters.size(); s-- > 0;) {
        sums[s][j] += gradient * x[s];
        gradient *= parameters[s][j] + 2 * x[s];
      }
    }
  for (size_t s = 0; s < results.size(); ++s)
    for (size_t j = 0; j < n; ++j)
      results[s][j] -= 0.1f * sums[s][j];
  results.insert(results.begin(), {loss});
  return results;
}

} // namespace partopt::test
