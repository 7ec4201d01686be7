//===- NcclReduction.cpp - What NCCL reduces ------------------------------===//
//
// See NcclReduction.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/NcclReduction.h"

#include "partopt/Plan/ElementTypes.h"

namespace partopt::rt {

using plan::Combiner;
using plan::ElementType;

/// NCCL's type for numbers, or nothing.
static std::optional<ncclDataType_t> typeOf(ElementType type) {
  switch (type) {
  case ElementType::I8:
    return ncclInt8;
  case ElementType::U8:
    return ncclUint8;
  case ElementType::I32:
    return ncclInt32;
  case ElementType::U32:
    return ncclUint32;
  case ElementType::I64:
    return ncclInt64;
  case ElementType::U64:
    return ncclUint64;
  case ElementType::F16:
    return ncclFloat16;
  case ElementType::BF16:
    return ncclBfloat16;
  case ElementType::F32:
  case ElementType::C64:
    return ncclFloat32;
  case ElementType::F64:
  case ElementType::C128:
    return ncclFloat64;
  default:
    return std::nullopt;
  }
}

std::optional<NcclReduction> ncclReduction(ElementType type,
                                           Combiner combiner) {
  if (type == ElementType::I1) {
    bool isAny = combiner == Combiner::Sum || combiner == Combiner::Max ||
                 combiner == Combiner::Or;
    return NcclReduction{ncclUint8, isAny ? ncclMax : ncclMin};
  }
  std::optional<ncclDataType_t> known = typeOf(type);
  if (!known)
    return std::nullopt;
  bool isComplex = plan::isComplexType(type);
  if (isComplex && combiner != Combiner::Sum)
    return std::nullopt;
  switch (combiner) {
  case Combiner::Sum:
    return NcclReduction{*known, ncclSum, isComplex ? 2u : 1u};
  case Combiner::Product:
    return NcclReduction{*known, ncclProd};
  case Combiner::Min:
    return NcclReduction{*known, ncclMin};
  case Combiner::Max:
    return NcclReduction{*known, ncclMax};
  default:
    return std::nullopt;
  }
}

} // namespace partopt::rt
