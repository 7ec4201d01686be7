// The arithmetic of axes and sub-axes, and what one sharding can be asked.
//
// A sub-axis "x":(p)s stands for the interval [p, p*s) on the divisors of the
// axis, a full axis for [1, size). Overlap, containment and prefixes are
// statements about these intervals; only those that end at the full axis need
// the mesh.

#include "dialects/Sdy/Sdy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace mlir;

namespace partopt::sdy {
namespace {

// End of the interval; a full axis ends beyond every sub-axis.
int64_t endOf(AxisRefAttr axis) {
  return axis.getSubAxisInfo() ? axis.getSubAxisInfo().getNextPreSize()
                               : std::numeric_limits<int64_t>::max();
}

// The sub-axis [begin, end) of `axis`, the full axis if it has no bounds.
AxisRefAttr partOf(AxisRefAttr axis, int64_t begin, int64_t end) {
  if (begin == 1 && end == std::numeric_limits<int64_t>::max())
    return AxisRefAttr::get(axis.getContext(), axis.getName());
  return AxisRefAttr::get(axis.getContext(), axis.getName(), begin,
                          end / begin);
}

} // namespace

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, int64_t size) {
  if (size < 1)
    return emitError() << "size of mesh axis \"" << name
                       << "\" must be at least 1, got " << size;
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes,
                               ArrayRef<int64_t> deviceIds) {
  llvm::StringSet<> names;
  int64_t total = 1;
  for (MeshAxisAttr axis : axes) {
    if (!names.insert(axis.getName()).second)
      return emitError() << "mesh has two axes named \"" << axis.getName()
                         << "\"";
    if (llvm::MulOverflow(total, axis.getSize(), total))
      return emitError() << "mesh has more devices than fit in 64 bits";
  }
  if (deviceIds.empty())
    return success();
  if (total != static_cast<int64_t>(deviceIds.size()))
    return emitError() << "mesh has " << total << " devices but device_ids has "
                       << deviceIds.size() << " entries";
  if (axes.empty()) {
    if (deviceIds[0] < 0)
      return emitError() << "device id must not be negative, got "
                         << deviceIds[0];
    return success();
  }
  llvm::SmallVector<bool> seen(total, false);
  for (int64_t id : deviceIds) {
    if (id < 0 || id >= total || seen[id])
      return emitError() << "device_ids must be a permutation of 0 to "
                         << total - 1 << ", but " << id
                         << (id < 0 || id >= total ? " is out of range"
                                                   : " occurs twice");
    seen[id] = true;
  }
  return success();
}

bool MeshAttr::hasAxis(StringRef name) const { return getAxisSize(name) > 0; }

int64_t MeshAttr::getAxisSize(StringRef name) const {
  for (MeshAxisAttr axis : getAxes())
    if (axis.getName() == name)
      return axis.getSize();
  return 0;
}

size_t MeshAttr::getAxisIndex(StringRef name) const {
  return llvm::find_if(getAxes(),
                       [&](MeshAxisAttr a) { return a.getName() == name; }) -
         getAxes().begin();
}

int64_t MeshAttr::getTotalSize() const {
  int64_t total = 1;
  for (MeshAxisAttr axis : getAxes())
    total *= axis.getSize();
  return total;
}

bool AxisRefAttr::operator<(const AxisRefAttr &rhs) const {
  return std::make_tuple(getName(), getSubAxisPreSize(), endOf(*this)) <
         std::make_tuple(rhs.getName(), rhs.getSubAxisPreSize(), endOf(rhs));
}

bool AxisRefAttr::meshLess(MeshAttr mesh, AxisRefAttr lhs, AxisRefAttr rhs) {
  size_t l = mesh.getAxisIndex(lhs.getName());
  size_t r = mesh.getAxisIndex(rhs.getName());
  return l != r ? l < r : lhs < rhs;
}

std::string AxisRefAttr::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '"' << getName() << '"';
  if (SubAxisInfoAttr sub = getSubAxisInfo())
    os << ":(" << sub.getPreSize() << ')' << sub.getSize();
  return text;
}

int64_t AxisRefAttr::getSize(MeshAttr mesh) const {
  return getSubAxisInfo() ? getSubAxisInfo().getSize()
                          : mesh.getAxisSize(getName());
}

int64_t AxisRefAttr::getSubAxisPreSize() const {
  return getSubAxisInfo() ? getSubAxisInfo().getPreSize() : 1;
}

bool AxisRefAttr::contains(AxisRefAttr other) const {
  return getName() == other.getName() &&
         getSubAxisPreSize() <= other.getSubAxisPreSize() &&
         endOf(other) <= endOf(*this);
}

bool AxisRefAttr::prefixOf(AxisRefAttr other) const {
  return getName() == other.getName() &&
         getSubAxisPreSize() == other.getSubAxisPreSize() &&
         endOf(*this) <= endOf(other);
}

bool AxisRefAttr::strictPrefixOf(AxisRefAttr other) const {
  return *this != other && prefixOf(other);
}

bool AxisRefAttr::suffixOf(AxisRefAttr other, MeshAttr mesh) const {
  auto end = [&](AxisRefAttr axis) {
    return axis.getSubAxisPreSize() * axis.getSize(mesh);
  };
  return getName() == other.getName() && end(*this) == end(other) &&
         other.getSubAxisPreSize() <= getSubAxisPreSize();
}

bool AxisRefAttr::overlaps(AxisRefAttr other) const {
  return getName() == other.getName() && getSubAxisPreSize() < endOf(other) &&
         other.getSubAxisPreSize() < endOf(*this);
}

bool AxisRefAttr::canCoexist(AxisRefAttr other) const {
  if (getName() != other.getName() || !getSubAxisInfo() ||
      !other.getSubAxisInfo())
    return true;
  // All four bounds must divide one another in order.
  llvm::SmallVector<int64_t, 4> bounds{getSubAxisPreSize(), endOf(*this),
                                       other.getSubAxisPreSize(), endOf(other)};
  llvm::sort(bounds);
  for (size_t i = 1; i < bounds.size(); ++i)
    if (bounds[i] % bounds[i - 1] != 0)
      return false;
  return true;
}

std::optional<AxisRefAttr>
AxisRefAttr::getPrefixWithoutOverlap(AxisRefAttr other) const {
  if (!canCoexist(other))
    return std::nullopt;
  if (!overlaps(other))
    return *this;
  if (getSubAxisPreSize() >= other.getSubAxisPreSize())
    return std::nullopt;
  return partOf(*this, getSubAxisPreSize(), other.getSubAxisPreSize());
}

std::optional<AxisRefAttr>
AxisRefAttr::getGreatestCommonPrefix(AxisRefAttr other) const {
  if (!canCoexist(other))
    return std::nullopt;
  if (prefixOf(other))
    return *this;
  if (other.prefixOf(*this))
    return other;
  return std::nullopt;
}

bool AxisRefAttr::canMerge(AxisRefAttr other) const {
  return getName() == other.getName() && getSubAxisInfo() &&
         other.getSubAxisInfo() &&
         getSubAxisInfo().getNextPreSize() == other.getSubAxisPreSize();
}

AxisRefAttr AxisRefAttr::merge(AxisRefAttr other, MeshAttr mesh) const {
  int64_t size = getSubAxisInfo().getSize() * other.getSubAxisInfo().getSize();
  if (size == mesh.getAxisSize(getName()))
    return AxisRefAttr::get(getContext(), getName());
  return AxisRefAttr::get(getContext(), getName(), getSubAxisPreSize(), size);
}

int64_t DimensionShardingAttr::getShardedSize(MeshAttr mesh) const {
  int64_t size = 1;
  for (AxisRefAttr axis : getAxes())
    size *= axis.getSize(mesh);
  return size;
}

DimensionShardingAttr DimensionShardingAttr::dropPriority() const {
  return get(getContext(), getAxes(), getIsClosed());
}

bool TensorShardingAttr::isFullyClosed() const {
  return llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) {
    return dim.getIsClosed();
  });
}

bool TensorShardingAttr::isFullyReplicated() const {
  return llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) {
    return dim.emptyAxes();
  });
}

bool TensorShardingAttr::emptyAxes() const {
  return isFullyReplicated() && getReplicatedAxes().empty() &&
         getUnreducedAxes().empty();
}

StringRef TensorShardingAttr::getMeshName() const {
  auto ref = llvm::dyn_cast<FlatSymbolRefAttr>(getMeshOrRef());
  return ref ? ref.getValue() : StringRef();
}

MeshAttr TensorShardingAttr::getMesh(Operation *op) const {
  if (auto mesh = llvm::dyn_cast<MeshAttr>(getMeshOrRef()))
    return mesh;
  auto module = op->getParentOfType<ModuleOp>();
  if (auto self = llvm::dyn_cast<ModuleOp>(op))
    module = self;
  if (!module)
    return MeshAttr();
  auto meshOp = module.lookupSymbol<MeshOp>(getMeshName());
  return meshOp ? meshOp.getMesh() : MeshAttr();
}

void TensorShardingAttr::forEachAxisRef(
    function_ref<void(AxisRefAttr)> fn) const {
  for (DimensionShardingAttr dim : getDimShardings())
    llvm::for_each(dim.getAxes(), fn);
  llvm::for_each(getReplicatedAxes(), fn);
  llvm::for_each(getUnreducedAxes(), fn);
}

bool TensorShardingAttr::anyOfAxisRef(
    function_ref<bool(AxisRefAttr)> fn) const {
  bool any = false;
  forEachAxisRef([&](AxisRefAttr axis) { any = any || fn(axis); });
  return any;
}

TensorShardingAttr TensorShardingAttr::replaceDimShardings(
    ArrayRef<DimensionShardingAttr> dims) const {
  return get(getContext(), getMeshOrRef(), dims, getReplicatedAxes(),
             getUnreducedAxes(), getReductionKind());
}

TensorShardingAttr
TensorShardingAttr::replaceDimSharding(int64_t dim,
                                       DimensionShardingAttr sharding) const {
  auto dims = llvm::to_vector(getDimShardings());
  dims[dim] = sharding;
  return replaceDimShardings(dims);
}

TensorShardingAttr
TensorShardingAttr::replaceReplicatedAxes(ArrayRef<AxisRefAttr> axes) const {
  return get(getContext(), getMeshOrRef(), getDimShardings(), axes,
             getUnreducedAxes(), getReductionKind());
}

TensorShardingAttr
TensorShardingAttr::replaceUnreducedAxes(ArrayRef<AxisRefAttr> axes,
                                         ReductionKind kind) const {
  return get(getContext(), getMeshOrRef(), getDimShardings(),
             getReplicatedAxes(), axes, kind);
}

TensorShardingAttr TensorShardingAttr::getClosedLike() const {
  llvm::SmallVector<DimensionShardingAttr> dims;
  for (DimensionShardingAttr dim : getDimShardings())
    dims.push_back(DimensionShardingAttr::get(getContext(), dim.getAxes(),
                                              /*isClosed=*/true));
  return replaceDimShardings(dims);
}

static TensorShardingAttr withoutAxes(MLIRContext *context, int64_t rank,
                                      Attribute meshOrRef, bool closed) {
  llvm::SmallVector<DimensionShardingAttr> dims(
      rank, DimensionShardingAttr::get(context, {}, closed));
  return TensorShardingAttr::get(context, meshOrRef, dims);
}

TensorShardingAttr TensorShardingAttr::getFullyClosed(MLIRContext *context,
                                                      int64_t rank,
                                                      Attribute meshOrRef) {
  return withoutAxes(context, rank, meshOrRef, /*closed=*/true);
}

TensorShardingAttr TensorShardingAttr::getFullyOpen(MLIRContext *context,
                                                    int64_t rank,
                                                    Attribute meshOrRef) {
  return withoutAxes(context, rank, meshOrRef, /*closed=*/false);
}

TensorShardingPerValueAttr TensorShardingPerValueAttr::replaceValueSharding(
    int64_t index, TensorShardingAttr sharding) const {
  auto all = llvm::to_vector(getShardings());
  all[index] = sharding;
  return get(getContext(), all);
}

bool OpShardingRuleAttr::isReductionFactor(int64_t factor) const {
  return llvm::is_contained(getReductionFactors(), factor);
}
bool OpShardingRuleAttr::isNeedReplicationFactor(int64_t factor) const {
  return llvm::is_contained(getNeedReplicationFactors(), factor);
}
bool OpShardingRuleAttr::isPermutationFactor(int64_t factor) const {
  return llvm::is_contained(getPermutationFactors(), factor);
}
bool OpShardingRuleAttr::isBlockedPropagationFactor(int64_t factor) const {
  return llvm::is_contained(getBlockedPropagationFactors(), factor);
}
bool OpShardingRuleAttr::isPassThroughFactor(int64_t factor) const {
  return !isReductionFactor(factor) && !isNeedReplicationFactor(factor) &&
         !isPermutationFactor(factor);
}

} // namespace partopt::sdy
