"""Everything that can go wrong on bad input, one sentence each.

A sentence names the object or file, the setting, and the way out. `docs/troubleshooting.md` lists
every one of them; a test holds the two together.
"""

from __future__ import annotations

from typing import Any

PROBLEMS: dict[str, str] = {
    # Files
    "file_missing": "{path} does not exist: choose another file, or restore it.",
    "file_is_folder": "{path} is a folder: name a file in it.",
    "folder_not_writable": "The folder {path} cannot be written to ({reason}): choose another one.",
    "place_elsewhere": (
        "{object} keeps its {setting} at {path}, which is outside the folder of this .blend: click Allow "
        "if you trust that location, choose another under Options, or give it on the command line."
    ),
    "places_allowed": "{object} uses no location that needs to be allowed: continue with Bake or Train.",
    "place_is_link": (
        "{path} is a link to another location, and links are not followed: remove it, or choose another "
        "location."
    ),
    "model_path_suffix": (
        "The model file of {object} is called {path}, which does not end in .safetensors: "
        "give it a name that does, under Train > Options."
    ),
    "disk_full": (
        "The disk of {path} is full; everything finished so far is kept: free some space and resume."
    ),
    # Point caches and imports
    "cache_not_pc2": "{path} is not a PC2 file: export the animation again as PC2 (Lightwave Point Cache 2).",
    "cache_not_mdd": "{path} is not an MDD file: export the animation again as MDD.",
    "cache_vertex_count": (
        "{path} has {found} vertices but {object} has {expected}: "
        "export it from the same mesh, with the same modifiers."
    ),
    "interaction_shape": (
        "{path} holds {found} but the take needs {expected}: one row per frame, one column per channel value."
    ),
    "interaction_unnamed": (
        "{path} has {found} unnamed columns: name them with --channels, or import a CSV file whose first "
        "row names them."
    ),
    "interaction_columns": (
        "The columns of {path} cannot be used as channels ({reason}): name them Ball.x, Ball.y, Ball.z, "
        "and so on."
    ),
    "interaction_other_channels": (
        "{path} has columns for {found}, but the dataset {dataset} holds takes with {expected}: "
        "rename the columns, or choose another dataset folder."
    ),
    "mesh_unreadable": "{path} cannot be read as a mesh ({reason}): export it as OBJ or PLY.",
    "take_exists": "The dataset {path} already has a take {take}: give the new one another name.",
    "take_unknown": "The dataset {path} has no take {take} with frames to show: choose another.",
    "take_name_unusable": (
        "“{take}” cannot be the name of a take, since each take is a folder in the dataset: choose a "
        "name without slashes, backslashes or colons."
    ),
    "interaction_not_numbers": (
        "{path} has a value that is not a number in row {row}: fix it and import again."
    ),
    # Datasets
    "dataset_missing": "There is no dataset in {path}: bake or import one first.",
    "dataset_damaged": (
        "The dataset {path} cannot be read ({reason}): bake it again, or restore it from a backup."
    ),
    "dataset_settings_unusable": (
        "The dataset {path} cannot be created ({reason}): correct the frame rate, the gravity or the "
        "colliders."
    ),
    "dataset_other_object": (
        "The dataset {path} was baked from a mesh with different vertices or faces than {object} has "
        "now: choose another dataset folder, or bake again from scratch."
    ),
    "dataset_other_channels": (
        "The dataset {path} was baked with different interaction objects ({found}) than are set now "
        "({expected}): choose another dataset folder, or bake again from scratch."
    ),
    "dataset_other_material": (
        "The dataset {path} holds takes of {object} that were simulated with a different material, other "
        "settings or another solver: delete the dataset, or choose another folder."
    ),
    "dataset_faulty": (
        "The dataset {path} has {count} that would break training, the first in {reason}: fix them and "
        "check again."
    ),
    "dataset_newer": "{path} was written by a newer version of Neural Physics: update the extension.",
    "dataset_empty": "The dataset {path} has no usable frames ({reason}): bake more takes.",
    "dataset_without_motion": (
        "The dataset {path} holds only poses, and no motion to learn from: bake a take with motion as well."
    ),
    "nothing_held_out": (
        "The dataset {path} has no validation or test take long enough to compare a model with: bake "
        "more takes, with a training motion other than Keep Animation, or import one."
    ),
    "dataset_too_short": (
        "The dataset {path} has {found} usable frames in runs of at least {run}, but training needs "
        "{needed}: bake more takes, or longer ones."
    ),
    "dataset_not_numbers": (
        "Frame {frame} of the take {take} contains a value that is not a number: bake or import that "
        "take again."
    ),
    # What is simulated
    "no_mesh": "{object} is not a mesh: choose a mesh object that has Cloth or Soft Body physics.",
    "mesh_without_faces": "The mesh of {object} has no faces: add some, or choose another object.",
    "object_linked": (
        "{object} or its mesh is linked from another file and cannot be changed here: "
        "use Object > Relations > Make Local > Selected Objects and Data."
    ),
    "object_overridden": (
        "{object} or its mesh is a library override, whose mesh cannot be changed here: "
        "use Object > Relations > Make Local > Selected Objects and Data."
    ),
    "mesh_shared": (
        "{object} shares its mesh with {other}, which would move too: use Object > Relations > Make "
        "Single User > Object & Data."
    ),
    "edit_mode": "{object} is in Edit Mode: leave it (Tab) and try again.",
    "no_physics": (
        "{object} has no Cloth or Soft Body physics: add one of them in the Physics properties, or "
        "simulate it with the bundled solver as a solid, a shell or rods."
    ),
    "mesh_without_edges": (
        "The mesh of {object} has no edges to make rods of: add some, or choose another object."
    ),
    "rods_with_faces": (
        "{object} has faces, but rods are made of edges only: delete its faces only (Delete > Only "
        "Faces), or simulate it as a shell."
    ),
    "skin_missing": (
        "Jiggle Springs moves {object} relative to its armature, but no bone deforms it: add an Armature "
        "modifier before its physics, with vertex groups named after the bones, or choose another method."
    ),
    "skin_unusable": "Jiggle Springs cannot follow {object}: {reason}; change that, or choose another method.",
    "skin_unlisted": (
        "{object} does not react to its armature {rig}, which Jiggle Springs needs: add the armature to "
        "the “Reacts to” list of {object}."
    ),
    "skin_scaled_bone": (
        "The bone {bone} of {rig} is scaled, which {object} cannot follow with Preserve Volume: remove "
        "the scale, or switch Preserve Volume off in the Armature modifier."
    ),
    "poses_unweighted": (
        "{count} vertices of {object} have no weight for any deforming bone of {rig}, so they cannot be "
        "posed: paint their weights, or set Poses to 0."
    ),
    "poses_without_action": (
        "Poses of {object} are to be taken from actions, but {rig} has none besides those reserved for "
        "testing: add actions, or set Pose Source to Random."
    ),
    "poses_without_bones": (
        "No bone of {rig} that deforms {object} can be rotated freely, since each is locked or driven by "
        "something else: set Pose Source to Actions, or Poses to 0."
    ),
    "poses_scaled_bone": (
        "The bone {bone} of {rig} is scaled in a pose of {object}, but the interior follows bones in "
        "rotation and translation only: remove the scale from its action, or set Pose Source to Random."
    ),
    "poses_unusable": (
        "None of the {count} poses of {object} can be used ({reason}): lower Max Bone Angle or Bone "
        "Radius, move the body clear of its colliders, or set Poses to 0."
    ),
    "skin_not_baked": (
        "The dataset {path} does not record how bones move {object}: choose Jiggle Springs and another "
        "dataset folder and bake again, or choose another method."
    ),
    "material_unknown": "{object} has no material preset “{material}”; available presets: {known}.",
    "softer_unknown": (
        "{object} has no vertex group “{group}” to soften it by: choose another Softness Group, or none."
    ),
    "pins_unknown": "{object} has no vertex group “{group}” to pin it by: choose another for Pins, or none.",
    "body_unusable": "{object} cannot be simulated as it is: {reason}.",
    "places_unknown": (
        "The problem areas of {object} are not known, or its mesh has changed since they were found: "
        "bake it again to find them."
    ),
    "filling_missing": (
        "{object} cannot be filled with tetrahedra, since the Python {path} lacks pytetwild: set its "
        "Filling to Cage, or create the environment again in Preferences > Add-ons > Neural Physics."
    ),
    "self_contact_missing": (
        "{object} cannot be kept from passing through itself, since the Python {path} lacks ipctk: "
        "switch its Self Contact off, or create the environment again in Preferences > Add-ons > Neural "
        "Physics."
    ),
    "material_unusable": "The material of {object} cannot be used: {reason}.",
    "nothing_free": (
        "All of {object} is pinned, so nothing is left to simulate: remove some vertices from its pin "
        "group, or fill it with more tetrahedra."
    ),
    "physics_disabled": "The modifier {modifier} of {object} is disabled in the viewport: enable it.",
    "object_not_in_scene": "{object} is not in the view layer {layer}: tick its collection in the Outliner.",
    # Levels of a hierarchy
    "levels_loose": (
        "{object} has {count} vertices or edges that belong to no face and cannot be part of finer "
        "levels: delete them (Mesh > Clean Up > Delete Loose)."
    ),
    "levels_corners": (
        "{object} has a face with {corners} corners, but levels are made of triangles and quads: "
        "triangulate it (Face > Triangulate Faces)."
    ),
    "levels_edge_shared": (
        "{object} has more than two faces at the edge between its vertices {a} and {b}: "
        "delete all but two of them (Select > All by Trait > Non Manifold shows them)."
    ),
    "levels_winding": (
        "The faces of {object} at the edge between its vertices {a} and {b} have inconsistent normals: "
        "recalculate them (Mesh > Normals > Recalculate Outside)."
    ),
    "levels_cut_shared": (
        "The quads of {object} cannot all be split into triangles, since two would be split along the "
        "same line between the vertices {a} and {b}: rotate an edge of one of them (Edge > Rotate Edge "
        "CW), or merge the two."
    ),
    "levels_quads": (
        "The quads of {object} cannot be split into triangles that give {levels} coarser levels (only "
        "{found}): use a multiple of {multiple} faces along every side, or start from a coarse mesh and "
        "click Subdivide Cloth under Set Up."
    ),
    "levels_not_found": (
        "{object} is not a mesh that was subdivided {levels} times, only {found}: start from a coarse "
        "mesh and click Subdivide Cloth under Set Up, or choose fewer levels."
    ),
    "levels_too_fine": (
        "The levels of {object} would need {needed} of memory, but at most {allowed} are allowed: choose "
        "fewer levels, or a coarser mesh."
    ),
    "levels_coarse_too_fine": (
        "{object} has {count} vertices at its coarsest level ({levels} below its own), but at most "
        "{allowed} can be simulated during playback: make the cloth from a coarser mesh, subdivided more "
        "often."
    ),
    "subdivide_playing": (
        "{object} plays a model that fits its present mesh only: click Show Simulation, then subdivide it."
    ),
    "subdivide_not_coarse": (
        "{object} has {count} vertices, but at most {allowed} can be simulated during playback: "
        "subdivide a coarser mesh, with a few hundred."
    ),
    "subdivide_too_fine": (
        "Subdivided {levels} times, {object} would have {count} triangles, but at most {allowed} are "
        "allowed: choose fewer levels, or a coarser mesh."
    ),
    "levels_need_cloth": (
        "Hierarchical Cloth learns from cloth only, but {object} is simulated as something else: add a "
        "Cloth modifier or set Simulated By to Mass-Spring Cloth, click Bake, or choose another method."
    ),
    "levels_scaled": (
        "{object} is scaled, but Hierarchical Cloth is simulated in metres during playback: apply its "
        "scale (Object > Apply > Scale), or choose another method."
    ),
    # What it reacts to
    "no_interactions": (
        "{object} has nothing to react to: add a collider, a pin, an armature or a wind field."
    ),
    "interaction_unset": (
        "Line {row} of the “Reacts to” list of {object} has no object: choose one, or remove the line."
    ),
    "interaction_missing": "{interaction}, which {object} reacts to, is not in this scene: choose another object.",
    "interaction_hidden": (
        "{interaction}, which {object} reacts to, is disabled in viewports, so it has no effect and its "
        "motion cannot be read: enable it there and hide it with the eye icon instead, or remove it from "
        "the list."
    ),
    "channel_not_sampled": (
        "The channel {channel} of {object} came from an imported file and cannot be read from a scene: "
        "use it with imported takes only."
    ),
    "actions_missing": (
        "{object} has no actions that animate its bones and nothing else: add some, or set its training "
        "motion to Keep Animation."
    ),
    "test_action_missing": (
        "The action {action}, reserved for testing, is not one that {object} can play: choose another "
        "Test Action, or none."
    ),
    "test_action_alone": (
        "{action} is the only action of {object} and is reserved for testing, so none is left to learn "
        "from: add more actions, or clear Test Action."
    ),
    "test_action_unused": (
        "The action {action} of {object} is reserved for testing, but Takes at {found} leaves no test "
        "take to play it: set Takes to {needed} or more, or clear Test Action."
    ),
    "wind_range_empty": "The minimum wind of {object} is above the maximum: swap the two.",
    # What it is pushed out of
    "capsule_lost": (
        "The capsule {capsule} of {object} has lost the object or bone it was attached to: choose "
        "another for it, remove it, or fit the capsules again."
    ),
    "capsules_none": "{object} has no capsules: fit them to a character, or add one by hand.",
    "capsules_nothing": (
        "There is nothing around {object} to fit capsules to: give its character's body an Armature modifier and "
        "Collision physics, or choose a mesh with vertices."
    ),
    "body_unweighted": (
        "{body} has no weights for the bones of {rig} that deform it: parent it to the armature again "
        "with Automatic Weights, or paint some."
    ),
    "body_missing": (
        "{body} is linked from a file that is missing: restore that file, or choose another body."
    ),
    # What the bundled solver lets it run into
    "collider_deforms": (
        "{object} is deformed by its modifier {modifier}, but the bundled solver supports rigid "
        "colliders only: remove its Collision physics, or apply that modifier."
    ),
    "collider_scales": (
        "{object} changes its size, but the bundled solver supports rigid colliders only: keep its scale "
        "constant."
    ),
    "collider_without_faces": (
        "{object} is a collider but has no faces: add some, or remove its Collision physics."
    ),
    "collider_unusable": (
        "{collider} cannot be used as a collider ({reason}): close its mesh, or make it flat if it is "
        "meant to be an infinite ground."
    ),
    "collider_not_round": (
        "{collider} is neither a ball nor a capsule, and Mass-Spring Cloth collides with no other shapes: "
        "make it one, remove its Collision modifier, or set Simulated By to Shell."
    ),
    "starts_inside": (
        "{object} starts with {count} of its vertices inside {collider}: move the two apart at the first "
        "frame."
    ),
    "touches_itself": (
        "{object} passes through itself at the start, or comes closer to itself than its thickness: pull "
        "its parts apart, or switch its Self Contact off."
    ),
    "flat_collider_beside": (
        "{collider} does not cross the plane of {object}, which is flat and stays in it: move it into "
        "that plane, or remove its Collision modifier."
    ),
    "flat_collider_pieces": (
        "The plane of {object} cuts {collider} into {count} pieces, but a collider of a flat solid must "
        "be a single piece: make each piece an object of its own, without holes."
    ),
    "flat_collider_leaves": (
        "{collider} leaves the plane of {object}, which is flat: move it along that plane only, and "
        "rotate it only about the plane's normal."
    ),
    "flat_pins_leave": (
        "Pins of {object} leave its plane, which a flat solid cannot do: move the objects they are "
        "attached to along that plane only."
    ),
    "flat_touches_itself": (
        "{object} is flat, and flat solids do not support self-collision: switch its Self Contact off, "
        "or give the mesh thickness."
    ),
    # Bake
    "frames_too_few": "The takes of {object} are too short: set Frames per Take to at least {needed}.",
    "vertex_count_changes": (
        "The modifiers before the physics of {object} change its vertex count from {expected} to "
        "{found}: apply them, or move them after the physics."
    ),
    "dataset_other_fps": (
        "The dataset {path} was baked at {found} frames per second, but the scene runs at {expected}: "
        "restore the scene's frame rate, or choose another dataset folder."
    ),
    "bake_scene_lost": (
        "The scene {path} that is used to bake {object} cannot be opened: delete it and bake again."
    ),
    "bake_crashed": (
        "The process that baked {take} ended unexpectedly; all finished frames are kept: bake again to "
        "continue, and if that fails too, see the log {path}."
    ),
    "simulation_unusable": (
        "No frame of the simulation of {object} can be used ({reason}): raise its quality steps, or slow "
        "down the objects it reacts to."
    ),
    # Models
    "model_missing": "{object} has no model: train one, or import a model file.",
    "live_group_missing": "{object} has no vertex group {group}: choose another {setting} under Play, or clear it.",
    "springs_unknown": "{object} has no Jiggle Springs model whose springs could be shown: train one first.",
    "model_not_packed": "{object} has no model in this .blend: train one, import a model file, or pack one first.",
    "model_in_the_way": (
        "{path} holds a different model from the one that {object} plays, and it would be lost: move it "
        "away, or pack it if it is the one you want."
    ),
    "model_damaged": "The model {path} cannot be read ({reason}): train it again, or get a fresh copy.",
    "model_too_large": (
        "The model {path} is larger than {limit}, more than any trained model needs, and was not opened: "
        "check that it is the right file."
    ),
    "model_newer": "The model {path} needs a newer version of Neural Physics: update the extension.",
    "model_other_object": (
        "The vertices or faces of {object} ({found} vertices) do not match the mesh the model was "
        "trained on ({expected} vertices): choose the mesh it was trained on, or train again."
    ),
    "model_other_dataset": (
        "The model {path} does not match the dataset {dataset} ({reason}): choose the dataset it was "
        "trained on, or another take of the same scene."
    ),
    "model_method_unknown": "The model {path} uses the method “{method}”, which this version does not have: update the extension.",
    # Play
    "not_playing": "{object} is not playing: click Play first.",
    "play_failed": "{object} cannot be played ({reason}): click Show Simulation, then Play.",
    "play_not_numbers": (
        "{object} cannot be shown at frame {frame}, because its model or something it reacts to gives a value "
        "that is not a number: check what moves it there, or train again."
    ),
    "catch_up_needed": (
        "{object} must catch up {frames} frames before this one can be shown: click Catch Up, or go back "
        "to the start and play."
    ),
    "look_ahead_not_keyed": (
        "{object} cannot look ahead, since nothing that moves it is animated: keyframe its bones, or "
        "their armature."
    ),
    "look_ahead_ends": (
        "From frame {frame} on, {object} does not look ahead, since something was posed by hand there or "
        "moved differently than before: go back to the start frame."
    ),
    "lock_interface_off": (
        "{object} may render incorrectly, or Blender may crash, if the window is used during a render: "
        "switch on Render > Lock Interface."
    ),
    "frames_reversed": (
        "The playback of {object} would end at frame {last}, before it begins at {first}: swap the two."
    ),
    "work_removed": (
        "Something that {task} was working on has been removed: undo that, or start {task} again."
    ),
    # The graphics card
    "gpu_missing": "No GPU is available here ({reason}): the CPU does the work, only slower.",
    "gpu_other_thread": (
        "The GPU cannot be used while Blender renders from its window: the CPU does the "
        "work until the render has finished."
    ),
    "gpu_shader_refused": (
        "The GPU driver rejected the shader “{shader}”, so the CPU does the work: update the driver, and "
        "if that does not help, report it with the output of Blender's console."
    ),
    "gpu_too_large": (
        "{object} would need a texture of {width} by {height}, but the GPU allows at most {limit} on a "
        "side, so the CPU does the work: train with fewer bases, or play fewer objects with the same "
        "model."
    ),
    "gpu_failed": (
        "The GPU failed ({reason}), so the CPU does the work: close other programs that use its memory, "
        "then click Show Simulation and Play."
    ),
    "preview_not_linear": (
        "The method of {object}'s model does more than blend shapes, which the viewport preview cannot "
        "draw, so the mesh is shown instead: switch Viewport Preview off."
    ),
    "preview_modifiers": (
        "The viewport preview cannot draw the result of other modifiers of {object} ({modifiers}), so "
        "the mesh is shown instead: disable these in viewports, or switch Viewport Preview off."
    ),
    "preview_mode": (
        "The viewport preview of {object} is paused outside Object Mode, so the mesh is shown instead: "
        "return to Object Mode."
    ),
    "preview_shading": (
        "The viewport preview draws solid shading only, but a viewport uses another shading mode, so the "
        "mesh of {object} is shown instead: set all viewports to Solid."
    ),
    # Commands
    "no_scene": "No scene is open: give an existing, readable .blend before --command.",
    "scene_changed": (
        "{path} was saved by someone else in the meantime and was left unchanged: the results of the job "
        "are beside it; run the command “pack” to put a model into it."
    ),
    "evaluation_missing": "{object} has not been evaluated: click Evaluate first.",
    "evaluation_other_object": (
        "{path} does not hold an evaluation of {object}: evaluate its model again, with the mesh it was trained on."
    ),
    # Set up
    "nothing_selected": "Nothing is selected: select a mesh with Cloth or Soft Body.",
    "not_set_up": "{object} has not been set up: click Set Up first.",
    "not_baked": "{object} has no takes to learn from yet: bake or import some first.",
    "object_unknown": "There is no object “{object}” in {scene}: check the name.",
    "nothing_set_up": "Nothing is set up in {scene}: run “setup --object NAME” first, with the name of the cloth or soft body.",
    "object_not_named": "Several objects are set up ({found}): choose one with --object.",
    "object_busy": "{object} is busy with its {job}: wait until it has finished, or stop it.",
    # Motion
    "motion_box_empty": (
        "The motion box of {object} is empty or its times are out of order: enlarge the box, and set "
        "Shortest Move above 0 and below Longest Move."
    ),
    # Training
    "setting_unknown": "“{setting}” is not a training setting: choose from {known}.",
    "setting_unusable": "The training setting {setting} cannot be “{value}”: give it {allowed}.",
    "device_missing": "No CUDA device is available for training: choose --device cpu or auto.",
    "training_diverged": (
        "Training diverged after {steps} steps: lower the learning rate, or choose another preset."
    ),
    "latent_needs_solver": (
        "Latent Dynamics learns from the energies of the bundled solver, but {object} is not simulated "
        "by it: set Simulated By to Solid, Shell or Rods and click Bake, or choose another method."
    ),
    "latent_needs_hinges": (
        "{object} was simulated as a shell with mid-edge normals, but Latent Dynamics supports hinges "
        "only: choose Simulation > Bending Model > Hinges, delete the dataset and bake again, or choose "
        "another method."
    ),
    "latent_needs_one_step": (
        "Latent Dynamics learns whole frames, but {object} is simulated in {steps} steps per frame: set "
        "its Steps per Frame to 1 and click Bake, into a new dataset folder if there are takes already, "
        "or choose another method."
    ),
    "latent_strands_curved": (
        "The strands of {object} are curved at rest by up to {degrees} degrees at a joint, and takes do "
        "not record how such strands twist: use straight strands, or more joints, or choose another "
        "method."
    ),
    "latent_take_without_tracks": (
        "The take {take} of {path} does not record what acted on the body: bake it again with this version."
    ),
    "latent_takes_differ": (
        "The take {take} of {path} was baked with different colliders than {first}: bake all takes with "
        "the same ones, into a new dataset folder."
    ),
    "contact_needs_solid": (
        "Contact Corrections learns from a solid of the bundled solver, but {object} is simulated as "
        "something else: set Simulated By to Solid and click Bake, or choose another method."
    ),
    "contact_frame_moves": (
        "{object} is learned in a reference frame that moves, but Contact Corrections needs a fixed one: "
        "choose a fixed Reference Frame, switch Moving Frame off and bake again, or choose another "
        "method."
    ),
    "contact_scaled": (
        "{object} is scaled, but Contact Corrections is simulated in metres during playback: apply its "
        "scale (Object > Apply > Scale) and bake again, or choose another method."
    ),
    "contact_handles_unusable": (
        "{object} cannot be driven by {points} handles, which must reach every part of it and not all "
        "lie in one plane: set more Handles under Train, for example 12."
    ),
    "contact_handle_outside": (
        "The handle {handle} is outside {object}: put it inside the rest mesh, and train again."
    ),
    "contact_handle_pinned": (
        "The handle {handle} is where {object} is pinned and moves with the pins: move it further "
        "inside, or remove it from the Handles list."
    ),
    "contact_handles_together": (
        "The handles {handle} and {other} are too close to each other for the tetrahedra of {object}: "
        "move one of them, or raise Tetrahedra and bake again."
    ),
    "contact_handles_named_alike": "Two handles of {object} are named {handle}: give each a unique name.",
    "contact_handles_few": (
        "{object} cannot be driven by {handles} alone, since they are too few, lie in one plane, or "
        "leave a part of it out: add more to its Handles list, or empty the list."
    ),
    "contact_no_handles": (
        "The Handles list of {object} is empty: add Empties with the + button, or leave it empty to have "
        "handles placed automatically."
    ),
    "contact_core_unknown": (
        "The takes of {object} were baked without the core {handle}: bake again, or set its Core Radius to 0."
    ),
    "core_small": (
        "The core {handle} contains too little of {object} to turn with it: raise its Core Radius, move "
        "it inside the mesh, or raise Tetrahedra."
    ),
    "contact_handle_unset": (
        "Line {row} of the Handles list of {object} has no Empty and no bone: choose one, or remove the line."
    ),
    "contact_pins_unseen": (
        "The pinned parts of {object} are up to {off} from where its channels place them: attach moving "
        "pins to an object that is a channel, each group as one rigid piece."
    ),
    "contact_collider_unseen": (
        "No channel of {object} gives the position of the collider {collider}: add its position as a "
        "channel, or set its origin to its centre if it rotates, and bake again."
    ),
    "contact_collider_turns": (
        "The collider {collider} of {object} rotates, which no channel records: switch on Rotation for "
        "it under Training Motion and bake again, or keep its orientation fixed."
    ),
    "contact_collider_shape": (
        "Contact Corrections supports balls, boxes and a fixed ground, but the collider {collider} of "
        "{object} is none of them: give it one of these shapes and bake again, or choose another method."
    ),
    "contact_colliders_differ": (
        "The moving colliders of {object} differ in shape, which Contact Corrections does not support: "
        "make all of them balls, or boxes of one size, and bake again."
    ),
    "contact_collider_larger": (
        "{collider} is larger than the colliders that the model of {object} has learned from ({radius} "
        "m, but at most {learned} m): scale it down, or train with a larger one."
    ),
    "contact_collider_smaller": (
        "{collider} is smaller than the colliders that the model of {object} has learned from ({radius} "
        "m, but at least {learned} m): scale it up, or train with a smaller one."
    ),
    "contact_not_settled": (
        "No equilibrium shape of {object} was found, so there is nothing to learn: train with more "
        "handles, or bake takes in which it is deformed less."
    ),
    "training_python_unset": (
        "This needs a Python with PyTorch, and none is set up: choose one, or create one, in Preferences > "
        "Add-ons > Neural Physics, or train Subspace Physics, which needs none."
    ),
    "training_python_relative": (
        "The Python {path} is not given as a full path, so where it is found would depend on which file "
        "is open: choose it again in Preferences > Add-ons > Neural Physics."
    ),
    "training_python_missing": (
        "The training Python, {path}, does not exist: choose another in Preferences > Add-ons > Neural "
        "Physics."
    ),
    "training_python_lacks": (
        "The Python {path} cannot train, since it lacks {missing}: install what is missing, or choose "
        "another in Preferences > Add-ons > Neural Physics."
    ),
    "simulating_python_lacks": (
        "The Python {path} cannot simulate, since it lacks {missing}: create the environment again, or "
        "choose another, in Preferences > Add-ons > Neural Physics."
    ),
    "training_python_unusable": (
        "{path} does not work as a Python (it said: {reason}): choose another in Preferences > Add-ons > "
        "Neural Physics."
    ),
    "offline_forced": (
        "Blender was started with --offline-mode, so nothing can be downloaded: start it without, or "
        "choose a Python that already has PyTorch."
    ),
    "offline": "Blender may not go online: enable Allow Online Access in Preferences > System > Network.",
    "environment_busy": (
        "The training environment is already being created: wait until it has finished, or cancel it."
    ),
    "environment_no_room": (
        "Only {free} is free on the disk of {path}, but a training environment needs up to {needed}: "
        "free some space, or choose a Python that already has PyTorch."
    ),
    "environment_failed": (
        "The training environment could not be created (“{step}” said: {reason}): fix that and create it "
        "again, or choose a Python that already has PyTorch."
    ),
    # Jobs
    "job_not_started": (
        "{path} could not be started ({reason}): check that the program exists and can be executed."
    ),
    "job_elsewhere": (
        "The job in {path} runs on {host} and cannot be stopped from here: wait for its next checkpoint, "
        "or stop it there."
    ),
    "ended_unexpectedly": (
        "The job ended unexpectedly (status {status}, {said}); what it finished is kept: resume it."
    ),
    "stopped": "Stopped as requested; everything finished so far is kept: resume when you like.",
    "unexpected": "Something unexpected went wrong ({reason}): please report it with the log in {path}.",
}


class Problem(Exception):
    """A bad input, explained to the person in one sentence.

    code: a key of `PROBLEMS`. names: what the sentence's blanks are filled with.
    Raises KeyError for a code or a blank that does not exist, so that a slip shows in the tests.
    """

    def __init__(self, code: str, **names: Any) -> None:  # noqa: ANN401 (anything that prints)
        self.code = code
        self.names = names
        self.message = PROBLEMS[code].format(**names)
        super().__init__(self.message)

    @classmethod
    def reported(cls, code: str, message: str) -> Problem:
        """A problem that another process has already put into words."""
        problem = cls.__new__(cls)
        problem.code, problem.names, problem.message = code, {}, message
        Exception.__init__(problem, message)
        return problem
