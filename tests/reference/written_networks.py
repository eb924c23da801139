#!/usr/bin/env python3
"""Checks ONNX files that the program wrote: written_networks.py FOLDER, where the test program write_networks left NAME.onnx and NAME.json
(an input and the output that the program computes). Each must pass ONNX's own checker with full shape inference, and run by
onnx_network.py, node by node in double, make the same output to 1e-12. The last line is for tools/scripts/test.sh."""
import json
import pathlib
import sys

import numpy as np
import onnx

import onnx_network


def fault(path):
    model = onnx.load(str(path))
    onnx.checker.check_model(model, full_check=True)
    case = json.loads(path.with_suffix(".json").read_text())
    made = onnx_network.Network(model).run(case["input"]).ravel()
    wanted = np.array(case["output"])
    if made.shape != wanted.shape:
        return f"{made.size} outputs instead of {wanted.size}"
    difference = np.max(np.abs(made - wanted) / np.maximum(1, np.abs(wanted)))
    return "" if difference < 1e-12 else f"outputs differ by {difference:.3g}"


failed, files = 0, sorted(pathlib.Path(sys.argv[1]).glob("*.onnx"))
for path in files:
    try:
        found = fault(path)
    except Exception as error:  # whatever the checker or numpy says of one file, the others are still looked at
        found = f"{type(error).__name__}: {error}"
    if found:
        failed += 1
        print(f"{path.name}: {found}")
if not files:
    failed = 1
    print("no files were written")
print(f"{len(files) - failed if files else 0} passed, {failed} failed")
sys.exit(1 if failed else 0)
