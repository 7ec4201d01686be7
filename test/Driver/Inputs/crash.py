"""Starts the driver, waits until it reads its input, and makes it crash."""
import glob
import os
import signal
import subprocess
import sys
import time

folder = sys.argv[1]
child = subprocess.Popen(["partopt", "explain", "-", "--quiet"], stdin=subprocess.PIPE,
                         env={**os.environ, "PARTOPT_REPRODUCER_DIR": folder})
# Blocked in read(0, ...): everything before, handlers too, is done. Where the
# system does not tell, ten seconds are enough.
for _ in range(500):
    try:
        with open(f"/proc/{child.pid}/syscall") as file:
            if file.read().startswith("0 0x0 "):
                break
    except OSError:
        pass
    time.sleep(0.02)
child.send_signal(signal.SIGSEGV)
status = child.wait(timeout=30)
print("status", status)
for path in glob.glob(f"{folder}/*.mlir"):
    print(open(path).read())
