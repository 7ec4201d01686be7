"""Writes a safetensors file with arg0, 64x64 numbers between 990 and 1010.

usage: near_thousand.py FILE
"""
import random
import struct
import sys

from bad_arrays import write

random.seed(1)
values = [random.uniform(990, 1010) for _ in range(64 * 64)]
write(sys.argv[1], {"arg0": {"dtype": "F32", "shape": [64, 64],
                             "data_offsets": [0, 4 * len(values)]}},
      struct.pack(f"<{len(values)}f", *values))
