//===- View.h - Scattered memory as one byte range ------------------------===//
//
// A bucket of tensors is one message: a view strings their memory together, so
// that a ring cuts the whole and nothing is packed.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_HAL_VIEW_H
#define PARTOPT_RUNTIME_HAL_VIEW_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace partopt::rt {

class View {
public:
  View() = default;
  View(uint8_t *data, uint64_t bytes) { append(data, bytes); }

  void append(uint8_t *data, uint64_t bytes) {
    if (bytes == 0)
      return;
    pieces.push_back({data, total, bytes});
    total += bytes;
  }

  uint64_t bytes() const { return total; }

  /// Calls visit(pointer, bytes) for the parts of [offset, offset + bytes).
  template <typename Visit>
  void forRange(uint64_t offset, uint64_t bytes, Visit visit) const {
    auto piece = std::upper_bound(
        pieces.begin(), pieces.end(), offset,
        [](uint64_t at, const Piece &p) { return at < p.begin + p.bytes; });
    for (; bytes > 0; ++piece) {
      uint64_t skip = offset - piece->begin;
      uint64_t take = std::min(bytes, piece->bytes - skip);
      visit(piece->data + skip, take);
      offset += take;
      bytes -= take;
    }
  }

  /// The part [offset, offset + bytes) as a view of its own.
  View slice(uint64_t offset, uint64_t bytes) const {
    View part;
    forRange(offset, bytes,
             [&](uint8_t *data, uint64_t size) { part.append(data, size); });
    return part;
  }

private:
  struct Piece {
    uint8_t *data;
    uint64_t begin, bytes;
  };
  std::vector<Piece> pieces;
  uint64_t total = 0;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_HAL_VIEW_H
