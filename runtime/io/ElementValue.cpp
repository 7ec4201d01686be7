//===- ElementValue.cpp - One element as a number -------------------------===//
//
// See ElementValue.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/io/ElementValue.h"

#include "runtime/collectives/NarrowFloat.h"

#include "partopt/Plan/ElementTypes.h"

#include <cstring>
#include <limits>

namespace partopt::rt {

using plan::ElementType;

namespace {

template <typename T> T load(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

template <typename T> void store(uint8_t *at, T value) {
  std::memcpy(at, &value, sizeof(value));
}

template <typename Format> ElementValue loadNarrow(const uint8_t *at) {
  return {Format::decode(load<typename Format::Storage>(at)), 0};
}

} // namespace

ElementValue readElement(ElementType type, const uint8_t *at) {
  auto real = [](auto value) {
    return ElementValue{static_cast<long double>(value), 0};
  };
  switch (type) {
  case ElementType::Invalid:
    return {};
  case ElementType::I1:
    return real(at[0] != 0);
  case ElementType::I4:
  case ElementType::I8:
    return real(load<int8_t>(at));
  case ElementType::I16:
    return real(load<int16_t>(at));
  case ElementType::I32:
    return real(load<int32_t>(at));
  case ElementType::I64:
    return real(load<int64_t>(at));
  case ElementType::U4:
  case ElementType::U8:
    return real(at[0]);
  case ElementType::U16:
    return real(load<uint16_t>(at));
  case ElementType::U32:
    return real(load<uint32_t>(at));
  case ElementType::U64:
    return real(load<uint64_t>(at));
  case ElementType::F8E4M3FN:
    return loadNarrow<F8E4M3FN>(at);
  case ElementType::F8E5M2:
    return loadNarrow<F8E5M2>(at);
  case ElementType::F8E4M3B11FNUZ:
    return loadNarrow<F8E4M3B11FNUZ>(at);
  case ElementType::F8E4M3FNUZ:
    return loadNarrow<F8E4M3FNUZ>(at);
  case ElementType::F8E5M2FNUZ:
    return loadNarrow<F8E5M2FNUZ>(at);
  case ElementType::BF16:
    return loadNarrow<BF16>(at);
  case ElementType::F16:
    return loadNarrow<F16>(at);
  case ElementType::F32:
    return real(load<float>(at));
  case ElementType::F64:
    return real(load<double>(at));
  case ElementType::C64:
    return {load<float>(at), load<float>(at + 4)};
  case ElementType::C128:
    return {load<double>(at), load<double>(at + 8)};
  }
  return {};
}

void writeElement(ElementType type, const ElementValue &value, uint8_t *at) {
  auto narrow = static_cast<float>(value.real);
  switch (type) {
  case ElementType::F8E4M3FN:
    return store(at, F8E4M3FN::encode(narrow));
  case ElementType::F8E5M2:
    return store(at, F8E5M2::encode(narrow));
  case ElementType::F8E4M3B11FNUZ:
    return store(at, F8E4M3B11FNUZ::encode(narrow));
  case ElementType::F8E4M3FNUZ:
    return store(at, F8E4M3FNUZ::encode(narrow));
  case ElementType::F8E5M2FNUZ:
    return store(at, F8E5M2FNUZ::encode(narrow));
  case ElementType::BF16:
    return store(at, BF16::encode(narrow));
  case ElementType::F16:
    return store(at, F16::encode(narrow));
  case ElementType::F32:
    return store(at, narrow);
  case ElementType::F64:
    return store(at, static_cast<double>(value.real));
  case ElementType::C64:
    store(at, narrow);
    return store(at + 4, static_cast<float>(value.imaginary));
  case ElementType::C128:
    store(at, static_cast<double>(value.real));
    return store(at + 8, static_cast<double>(value.imaginary));
  case ElementType::I1:
    return store(at, static_cast<uint8_t>(value.real != 0));
  default: {
    uint64_t bits =
        value.real < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value.real))
                       : static_cast<uint64_t>(value.real);
    std::memcpy(at, &bits, plan::elementSize(type)); // little endian
  }
  }
}

double epsilonOf(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3FN:
  case ElementType::F8E4M3B11FNUZ:
  case ElementType::F8E4M3FNUZ:
    return 0x1p-3;
  case ElementType::F8E5M2:
  case ElementType::F8E5M2FNUZ:
    return 0x1p-2;
  case ElementType::BF16:
    return 0x1p-7;
  case ElementType::F16:
    return 0x1p-10;
  case ElementType::F32:
  case ElementType::C64:
    return std::numeric_limits<float>::epsilon();
  case ElementType::F64:
  case ElementType::C128:
    return std::numeric_limits<double>::epsilon();
  default:
    return 0;
  }
}

} // namespace partopt::rt
