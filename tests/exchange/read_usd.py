"""Reads a USD file by usd-core, which is not Blender's: `python read_usd.py FILE`; prints JSON."""

from __future__ import annotations

import json
import sys

from pxr import Usd, UsdGeom, UsdValidation

stage = Usd.Stage.Open(sys.argv[1])
registry = UsdValidation.ValidationRegistry()
context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
errors = [f"{error.GetName()}: {error.GetMessage()}" for error in context.Validate(stage)]
meshes = []
for prim in stage.Traverse():
    if prim.IsA(UsdGeom.Mesh):
        mesh = UsdGeom.Mesh(prim)
        times = mesh.GetPointsAttr().GetTimeSamples()
        boxes = UsdGeom.BBoxCache(times[0], [UsdGeom.Tokens.default_])
        worlds = UsdGeom.XformCache()
        shapes = []
        for time in times:
            boxes.SetTime(time)
            worlds.SetTime(time)
            world = worlds.GetLocalToWorldTransform(prim)
            points = mesh.GetPointsAttr().Get(time)
            extent = mesh.GetExtentAttr().Get(time)
            own = UsdGeom.PointBased.ComputeExtent(points)
            pairs = [each for two in zip(extent, own, strict=True) for each in zip(*two, strict=True)]
            off = max(abs(said - found) for said, found in pairs)
            shapes.append({"points": [list(world.Transform(point)) for point in points], "extent_off": off})
        meshes.append(
            {
                "path": str(prim.GetPath()),
                "times": list(times),
                "counts": list(mesh.GetFaceVertexCountsAttr().Get()),
                "corners": list(mesh.GetFaceVertexIndicesAttr().Get()),
                "primvars": [each.GetPrimvarName() for each in UsdGeom.PrimvarsAPI(prim).GetPrimvars()],
                "materials": [str(each) for each in prim.GetRelationship("material:binding").GetTargets()],
                "shapes": shapes,
            }
        )
about = {
    "meshes": meshes,
    "errors": errors,
    "fps": stage.GetTimeCodesPerSecond(),
    "range": [stage.GetStartTimeCode(), stage.GetEndTimeCode()],
    "metres": UsdGeom.GetStageMetersPerUnit(stage),
    "up": str(UsdGeom.GetStageUpAxis(stage)),
}
print(json.dumps(about))
