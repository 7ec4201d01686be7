//===- MapMesh.cpp - partopt-map-mesh -------------------------------------===//
//
// States what the program sends as an axis order problem, and writes the answer
// as numbers of devices and as reasons.
//
//===----------------------------------------------------------------------===//

#include "ScheduleCost.h"

#include "dialects/Comm/Comm.h"
#include "dialects/Sdy/ShardingQueries.h"

#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Schedule/Passes.h"
#include "partopt/Simulate/AxisOrder.h"
#include "partopt/Support/MappingAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_MAPMESH
#include "partopt/Schedule/SchedulePasses.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

using Order = std::vector<size_t>;

/// What the function's collectives and messages send, each times the iterations
/// of the loop around it.
std::vector<simulate::AxisTraffic>
trafficOf(func::FuncOp function, const simulate::AxisOrderProblem &problem) {
  std::vector<simulate::AxisTraffic> traffic;
  uint64_t trips = 1;
  for (Operation &op : function.getBody().front()) {
    if (auto begin = dyn_cast<comm::LoopBeginOp>(op))
      trips = static_cast<uint64_t>(begin.getTrips());
    else if (isa<comm::LoopEndOp>(op))
      trips = 1;
    auto collective = dyn_cast<comm::CollectiveOpInterface>(op);
    auto send = dyn_cast<comm::SendOp>(op);
    if (!collective && !send)
      continue;
    comm::AxesAttr axes = send ? send.getAxes() : collective.getAxes();
    simulate::AxisTraffic one;
    one.collective = send ? describeSend(send) : describeCollective(collective);
    one.groupSize = static_cast<uint64_t>(axes.getGroupSize());
    one.times = trips;
    for (StringRef name : axes.getNames()) {
      auto found = llvm::find(problem.names, name.str());
      size_t axis = static_cast<size_t>(found - problem.names.begin());
      if (found != problem.names.end() && !llvm::is_contained(one.axes, axis))
        one.axes.push_back(axis);
    }
    traffic.push_back(std::move(one));
  }
  return traffic;
}

/// Of a pipeline's ranks, which have a program each, the one that sends most
/// stands for all.
void takeTraffic(func::FuncOp function, simulate::AxisOrderProblem &problem) {
  auto bytesOf = [](const std::vector<simulate::AxisTraffic> &traffic) {
    uint64_t bytes = 0;
    for (const simulate::AxisTraffic &one : traffic)
      bytes += one.collective.counts[0] * one.times;
    return bytes;
  };
  std::vector<simulate::AxisTraffic> traffic = trafficOf(function, problem);
  if (problem.traffic.empty() || bytesOf(traffic) > bytesOf(problem.traffic))
    problem.traffic = std::move(traffic);
}

/// The device at each row-major place of the mesh, when its axes are numbered
/// in `order`; empty where that is the place itself.
SmallVector<int64_t> deviceIds(const std::vector<uint64_t> &sizes,
                               const Order &order) {
  if (llvm::is_sorted(order))
    return {};
  std::vector<uint64_t> strides(sizes.size());
  uint64_t total = 1;
  for (size_t axis : llvm::reverse(order)) {
    strides[axis] = total;
    total *= sizes[axis];
  }
  SmallVector<int64_t> ids;
  for (uint64_t place = 0; place < total; ++place) {
    uint64_t device = 0, rest = place;
    for (size_t axis = sizes.size(); axis-- > 0; rest /= sizes[axis])
      device += rest % sizes[axis] * strides[axis];
    ids.push_back(static_cast<int64_t>(device));
  }
  return ids;
}

/// Where the order comes from.
enum class OrderBy { Traffic, Hand, File };

/// The decision, as attributes.
struct MappingWriter {
  const simulate::AxisOrderProblem &problem;
  OrderBy by;
  Builder builder;

  DictionaryAttr write(const simulate::AxisOrder &order,
                       const Order &other) const;

private:
  DictionaryAttr axis(const simulate::AxisOrder &order, size_t axis) const;
  ArrayAttr namesOf(const Order &order) const;
};

ArrayAttr MappingWriter::namesOf(const Order &order) const {
  SmallVector<StringRef> names;
  for (size_t axis : order)
    names.push_back(problem.names[axis]);
  return Builder(builder).getStrArrayAttr(names);
}

DictionaryAttr MappingWriter::axis(const simulate::AxisOrder &order,
                                   size_t axis) const {
  Builder b = builder;
  simulate::AxisLoad load = simulate::loadOf(problem, axis);
  std::string why = by == OrderBy::Hand ? "placed by hand (--axis-order)"
                    : by == OrderBy::File
                        ? "placed by the device ids of the file's mesh"
                        : simulate::whyThere(problem, order, axis);
  if (by != OrderBy::File)
    why += "; " + simulate::whyLevel(problem, order, axis);
  NamedAttrList entry;
  entry.set("axis", b.getStringAttr(problem.names[axis]));
  entry.set("bytes", b.getI64IntegerAttr(std::llround(load.bytes)));
  entry.set("collectives",
            b.getI64IntegerAttr(static_cast<int64_t>(load.collectives)));
  if (problem.cluster.hasLinks()) {
    const auto &level = problem.cluster.levels[order.levels[axis]];
    entry.set("level", b.getStringAttr(level.name));
    entry.set("latency_s", b.getF64FloatAttr(level.link.latency));
    entry.set("bytes_per_s", b.getF64FloatAttr(level.link.bytesPerSecond));
  }
  entry.set("why", b.getStringAttr(why));
  return entry.getDictionary(b.getContext());
}

DictionaryAttr MappingWriter::write(const simulate::AxisOrder &order,
                                    const Order &other) const {
  Builder b = builder;
  NamedAttrList mapping;
  mapping.set("cluster", b.getStringAttr(problem.cluster.name));
  mapping.set("order_by", b.getStringAttr(by == OrderBy::Hand   ? "hand"
                                          : by == OrderBy::File ? "file"
                                                                : "traffic"));
  SmallVector<Attribute> axes;
  for (size_t each : order.order)
    axes.push_back(axis(order, each));
  mapping.set("axes", b.getArrayAttr(axes));
  if (other != order.order)
    mapping.set("other", namesOf(other));
  return mapping.getDictionary(b.getContext());
}

struct MapMeshPass : partopt::impl::MapMeshBase<MapMeshPass> {
  using MapMeshBase::MapMeshBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    sdy::MeshOp mesh = sdy::getMainMesh(module);
    simulate::MachineOptions options;
    std::string wrong = options.parse(machine);
    if (!wrong.empty()) {
      module.emitError("cannot be laid on the machine: ") << wrong;
      return signalPassFailure();
    }
    if (!mesh || options.cluster.empty())
      return;
    simulate::AxisOrderProblem problem;
    problem.cluster = options.cluster;
    for (const MeshAxis &axis : getModuleMesh(module).axes)
      if (!axis.isTime) {
        problem.names.push_back(axis.name);
        problem.sizes.push_back(static_cast<uint64_t>(axis.size));
      }
    wrong = problem.check();
    if (!wrong.empty()) {
      mesh.emitError("--cluster: ") << wrong;
      return signalPassFailure();
    }
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal() &&
          !function->hasAttr("partopt.kernel"))
        takeTraffic(function, problem);
    if (failed(map(mesh, problem)))
      signalPassFailure();
  }

  LogicalResult map(sdy::MeshOp mesh,
                    const simulate::AxisOrderProblem &problem) {
    ArrayRef<int64_t> ids = mesh.getMesh().getDeviceIds();
    if (auto kept = mesh->getAttrOfType<DenseI64ArrayAttr>(kDeviceIdsAttr))
      ids = kept.asArrayRef();
    simulate::AxisOrder chosen = simulate::chooseOrder(problem);
    Order own(problem.sizes.size()), other = own;
    std::iota(own.begin(), own.end(), 0);
    MappingWriter writer{problem, OrderBy::Traffic, Builder(mesh)};
    if (!ids.empty()) {
      if (!axisOrder.empty())
        return mesh.emitError("has device_ids, which place every device "
                              "already; leave out --axis-order");
      writer.by = OrderBy::File;
      chosen.order = other = own;
      chosen.levels = problem.cluster.levelsOf(
          problem.sizes, std::vector<uint32_t>(ids.begin(), ids.end()));
    } else if (!axisOrder.empty()) {
      writer.by = OrderBy::Hand;
      other = chosen.order;
      Order order;
      std::string wrong = simulate::parseOrder(axisOrder, problem.names, order);
      if (!wrong.empty())
        return mesh.emitError("--axis-order '") << axisOrder << "': " << wrong;
      chosen = simulate::evaluateOrder(problem, order);
    } else {
      other = own;
    }
    for (size_t axis = 0; axis < own.size(); ++axis)
      moved += chosen.order[axis] != axis;
    if (writer.by != OrderBy::File && !linksOnly)
      if (SmallVector<int64_t> places = deviceIds(problem.sizes, chosen.order);
          !places.empty())
        mesh->setAttr(kDeviceIdsAttr,
                      DenseI64ArrayAttr::get(&getContext(), places));
    mesh->getParentOfType<ModuleOp>()->setAttr(kMappingAttr,
                                               writer.write(chosen, other));
    return success();
  }
};

} // namespace
