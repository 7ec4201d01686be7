"""Prints the range of each int32 array of a safetensors file.

usage: integer_range.py FILE
"""
import json
import struct
import sys

data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
for name, array in sorted(json.loads(data[8:8 + size]).items()):
    if array.get("dtype") == "I32":
        first, last = (8 + size + offset for offset in array["data_offsets"])
        values = struct.unpack(f"<{(last - first) // 4}i", data[first:last])
        print(f"{name}: {min(values)} to {max(values)}")
