"""Everything that can go wrong on somebody's bad input, each told in one sentence.

A sentence names the object or file, the setting, and the way out. `docs/troubleshooting.md` lists
every one of them; a test holds the two together.
"""

from __future__ import annotations

from typing import Any

PROBLEMS: dict[str, str] = {
    # Files
    "file_missing": "{path} is not there: choose another file, or put it back.",
    "file_is_folder": "{path} is a folder: name a file in it.",
    "folder_not_writable": "The folder {path} cannot be written to ({reason}): choose another one.",
    "place_elsewhere": (
        "{object} keeps its {setting} at {path}, which is not below the folder of this .blend: press Allow if you "
        "know that place, choose another under Options, or name it on the command line."
    ),
    "places_allowed": "{object} names no place that would have to be allowed: go on with Bake or Train.",
    "place_is_link": "{path} is a link to another place, and links are not followed: remove it, or choose another place.",
    "model_path_suffix": (
        "The model file of {object} is called {path}, which does not end in .safetensors: "
        "give it a name that does, under Train > Options."
    ),
    "disk_full": "The disk of {path} is full; all that was finished is kept: free some space and resume.",
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
        "{path} has {found} columns without names: name them with --channels, "
        "or import a CSV file whose first row names them."
    ),
    "interaction_columns": "The columns of {path} cannot be channels ({reason}): name them Ball.x, Ball.y, Ball.z, and so on.",
    "interaction_other_channels": (
        "{path} has columns for {found}, but the dataset {dataset} holds takes with {expected}: "
        "rename the columns, or choose another dataset folder."
    ),
    "mesh_unreadable": "{path} is not a mesh that can be read ({reason}): export it as OBJ or PLY.",
    "take_exists": "The dataset {path} has a take {take} already: give the new one another name.",
    "take_unknown": "The dataset {path} has no take {take} with frames to show: choose another.",
    "take_name_unusable": (
        "“{take}” cannot be the name of a take, which is one folder in the dataset: "
        "choose a name without slashes, backslashes and colons."
    ),
    "interaction_not_numbers": "{path} has something that is not a number in row {row}: mend it and import again.",
    # Datasets
    "dataset_missing": "There is no dataset in {path}: bake or import one first.",
    "dataset_damaged": "The dataset {path} cannot be read ({reason}): bake it again, or restore it from a copy.",
    "dataset_settings_unusable": (
        "The dataset {path} cannot be made like this ({reason}): "
        "correct the frame rate, the gravity or the colliders that were given."
    ),
    "dataset_other_object": (
        "The dataset {path} was baked from a mesh with other vertices or faces than {object} has now: "
        "choose another dataset folder, or bake again from the start."
    ),
    "dataset_other_channels": (
        "The dataset {path} was baked with other interaction objects ({found}) than are set now ({expected}): "
        "choose another dataset folder, or bake again from the start."
    ),
    "dataset_other_material": (
        "The dataset {path} holds takes of {object} that were simulated otherwise, with another "
        "material, other settings or another solver: delete the dataset, or choose another folder."
    ),
    "dataset_faulty": "The dataset {path} has {count} that training would trip over, the first in {reason}: mend and check again.",
    "dataset_newer": "{path} was written by a newer version of Neural Physics: update the extension.",
    "dataset_empty": "The dataset {path} has no usable frames ({reason}): bake more takes.",
    "dataset_without_motion": (
        "The dataset {path} holds poses and no motion to learn from: bake a take of motion as well."
    ),
    "nothing_held_out": (
        "The dataset {path} has no validation or test take that is long enough to compare a model with: "
        "bake more takes, which needs a training motion other than Keep Animation, or import one."
    ),
    "dataset_too_short": (
        "The dataset {path} leaves {found} frames to learn from in runs of at least {run}, "
        "but training needs {needed}: bake more takes, or longer ones."
    ),
    "dataset_not_numbers": (
        "Frame {frame} of the take {take} has something that is not a number: bake or import that take again."
    ),
    # What is simulated
    "no_mesh": "{object} is not a mesh: choose a mesh object that has Cloth or Soft Body physics.",
    "mesh_without_faces": "The mesh of {object} has no faces: give it some, or choose another object.",
    "object_linked": (
        "{object} or its mesh is linked from another file and cannot be changed here: "
        "use Object > Relations > Make Local > Selected Objects and Data."
    ),
    "object_overridden": (
        "{object} or its mesh is a library override, whose mesh cannot be changed here: "
        "use Object > Relations > Make Local > Selected Objects and Data."
    ),
    "mesh_shared": (
        "{object} shares its mesh with {other}, which would move along: "
        "use Object > Relations > Make Single User > Object & Data."
    ),
    "edit_mode": "{object} is in Edit Mode: leave it (Tab) and try again.",
    "no_physics": (
        "{object} has no Cloth or Soft Body physics: add one of them in the Physics properties, "
        "or let the bundled solver simulate it as a solid, a shell or rods."
    ),
    "mesh_without_edges": "The mesh of {object} has no edges to make rods of: give it some, or choose another object.",
    "rods_with_faces": (
        "{object} has faces, and rods are edges alone: delete its faces only (Delete > Only Faces), "
        "or simulate it as a shell."
    ),
    "skin_missing": (
        "Jiggle Springs let {object} swing about its armature, and no bone moves it: give it an Armature modifier "
        "before its physics, and vertex groups named like the bones, or choose another method."
    ),
    "skin_unusable": "Jiggle Springs cannot follow {object}: {reason}; change that, or choose another method.",
    "skin_unlisted": (
        "{object} does not react to its armature {rig}, about which Jiggle Springs let it swing: "
        "add it to what {object} reacts to."
    ),
    "skin_scaled_bone": (
        "The bone {bone} of {rig} is scaled, which {object} cannot follow with Preserve Volume: "
        "take the scale away, or switch Preserve Volume off in the Armature modifier."
    ),
    "poses_unweighted": (
        "{count} vertices of {object} have no weight for any deforming bone of {rig}, so that no pose can be made of "
        "them: weigh them in Weight Paint, or set Poses to 0."
    ),
    "poses_without_action": (
        "Poses of {object} are to come from actions, and {rig} has none but one that is kept for testing, if any: "
        "give it some, or set Poses From to Random."
    ),
    "poses_without_bones": (
        "No bone of {rig} that moves {object} can be turned by itself, since others drive it or it is locked: "
        "set Poses From to Actions, or Poses to 0."
    ),
    "poses_scaled_bone": (
        "The bone {bone} of {rig} is scaled in a pose of {object}, and what bones hold is only turned and shifted: "
        "take the scale out of its action, or set Poses From to Random."
    ),
    "poses_unusable": (
        "None of the {count} poses of {object} can be used ({reason}): lower Turn Bones or Bones Hold, "
        "let it stand free of its colliders, or set Poses to 0."
    ),
    "skin_not_baked": (
        "The dataset {path} does not say how bones move {object}: choose Jiggle Springs and another dataset folder, "
        "and bake again, or choose another method."
    ),
    "material_unknown": "{object} cannot be made of “{material}”; what there is for it: {known}.",
    "softer_unknown": "{object} has no vertex group “{group}” to be softer by: choose another for Softer Where, or none.",
    "pins_unknown": "{object} has no vertex group “{group}” to hold it by: choose another for Pins, or none.",
    "body_unusable": "{object} cannot be simulated as it is: {reason}.",
    "places_unknown": (
        "It is not known where {object} is unsuitable, or its mesh was changed since: bake it again to be told."
    ),
    "filling_missing": (
        "{object} cannot be filled with tetrahedra, for the Python {path} lacks pytetwild: "
        "set its Filling to Cage, or create the environment again in Preferences > Add-ons > Neural Physics."
    ),
    "self_contact_missing": (
        "{object} cannot be kept from passing through itself, for the Python {path} lacks ipctk: "
        "switch its Self Contact off, or create the environment again in Preferences > Add-ons > Neural Physics."
    ),
    "material_unusable": "{object} cannot be of such a material: {reason}.",
    "nothing_free": (
        "All of {object} is pinned, so that nothing is left to simulate: "
        "take some vertices out of its pin group, or fill it with more tetrahedra."
    ),
    "physics_disabled": "The modifier {modifier} of {object} is switched off in the viewport: switch it on.",
    "object_not_in_scene": "{object} is not in the view layer {layer}: tick its collection in the Outliner.",
    # Levels of a hierarchy
    "levels_loose": (
        "{object} has {count} vertices or edges that belong to no face, which no finer level can be made of: "
        "delete them (Mesh > Clean Up > Delete Loose)."
    ),
    "levels_corners": (
        "{object} has a face with {corners} corners, and levels are made of triangles and quads: "
        "triangulate it (Face > Triangulate Faces)."
    ),
    "levels_edge_shared": (
        "{object} has more than two faces at the edge between its vertices {a} and {b}: "
        "delete all but two of them (Select > All by Trait > Non Manifold shows them)."
    ),
    "levels_winding": (
        "The faces of {object} at the edge between its vertices {a} and {b} point to opposite sides: "
        "recalculate its normals (Mesh > Normals > Recalculate Outside)."
    ),
    "levels_cut_shared": (
        "The quads of {object} cannot all be cut into triangles, since two would be cut along the same line between "
        "the vertices {a} and {b}: move one of them to another corner (Edge > Rotate Edge CW), or merge the two."
    ),
    "levels_quads": (
        "The quads of {object} cannot be cut into triangles that {levels} coarser levels fit to (only {found} do): "
        "give it a multiple of {multiple} faces along every side, or take a coarse mesh and click Subdivide Cloth under Set Up."
    ),
    "levels_not_found": (
        "{object} is not a mesh that was subdivided {levels} times, only {found}: "
        "take a coarse mesh and click Subdivide Cloth under Set Up, or choose fewer levels."
    ),
    "levels_too_fine": (
        "The levels of {object} would need {needed} of memory, and {allowed} are allowed: choose fewer levels, or a coarser mesh."
    ),
    "levels_coarse_too_fine": (
        "{object} has {count} vertices at the coarsest level that it was found to have ({levels} below its own), "
        "and up to {allowed} can be simulated while it plays: make the cloth of a coarser mesh, subdivided more often."
    ),
    "subdivide_playing": "{object} plays a model, which fits its present mesh alone: click Show Simulation, then subdivide it.",
    "subdivide_not_coarse": (
        "{object} has {count} vertices, and up to {allowed} can be simulated while it plays: "
        "subdivide a coarser mesh, of a few hundred."
    ),
    "subdivide_too_fine": (
        "Subdivided {levels} times {object} would have {count} triangles, and {allowed} are allowed: choose fewer levels, "
        "or a coarser mesh."
    ),
    "levels_need_cloth": (
        "Hierarchical Cloth learns from cloth, and {object} is simulated as something else: give it a Cloth modifier "
        "or set Simulated By to Spring Cloth, click Bake, or choose another method."
    ),
    "levels_scaled": (
        "{object} is scaled, and Hierarchical Cloth is simulated in metres while it plays: "
        "apply its scale (Object > Apply > Scale), or choose another method."
    ),
    # What it reacts to
    "no_interactions": "Nothing is set that {object} reacts to: add a collider, a pin, an armature or a wind.",
    "interaction_unset": "Line {row} of what {object} reacts to has no object: choose one, or remove the line.",
    "interaction_missing": "{interaction}, which {object} reacts to, is not in this scene: choose another object.",
    "interaction_hidden": (
        "{interaction}, which {object} reacts to, is disabled in viewports, where it neither acts nor tells "
        "how it moves: enable it there and hide it with the eye instead, or take it off the list."
    ),
    "channel_not_sampled": (
        "The channel {channel} of {object} came from an imported file and cannot be read from a scene: "
        "use it with imported takes only."
    ),
    "actions_missing": (
        "{object} has no actions that move its bones and no others: "
        "give it some, or set its training motion to Keep Animation."
    ),
    "test_action_missing": (
        "The action {action}, kept for testing, is not one of those that {object} plays: "
        "choose another one, or none."
    ),
    "test_action_alone": (
        "{action} is the only action of {object} and is kept for testing, so that none is left to learn from: "
        "make more actions, or keep none."
    ),
    "test_action_unused": (
        "The action {action} of {object} is kept for testing, and Takes at {found} leaves none for that: "
        "set Takes to {needed} or more, or keep no action."
    ),
    "wind_range_empty": "The least wind of {object} is above its most: set them the other way round.",
    # What it is pushed out of
    "capsule_lost": (
        "What carried the capsule {capsule} of {object} is gone: "
        "choose another object or bone for it, remove it, or fit the capsules again."
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
    "body_missing": "{body} is linked from a file that is not there: put that file back, or choose another body.",
    # What the bundled solver lets it run into
    "collider_deforms": (
        "{object} changes its shape by its modifier {modifier}, and the bundled solver knows rigid colliders only: "
        "remove its Collision, or apply that modifier."
    ),
    "collider_scales": "{object} changes its size, and the bundled solver knows rigid colliders only: let its scale rest.",
    "collider_without_faces": "{object} collides but has no faces: give it some, or remove its Collision.",
    "collider_unusable": (
        "{collider} cannot be a collider of the solver ({reason}): "
        "close its mesh, or make it flat, where it stands for a ground without end."
    ),
    "collider_not_round": (
        "{collider} is neither a ball nor a capsule, and Spring Cloth meets no other shapes: make it one, "
        "take off its Collision modifier, or set Simulated By to Shell."
    ),
    "starts_inside": (
        "{object} begins with {count} of its vertices inside {collider}: "
        "move one of them away from the other at the first frame."
    ),
    "touches_itself": (
        "{object} passes through itself at the start, or comes closer to itself than its thickness: "
        "pull its parts apart, or switch its self-contact off."
    ),
    "flat_collider_beside": (
        "{collider} does not cross the plane of {object}, which is flat and cannot leave it: move it into "
        "that plane, or take off its Collision modifier."
    ),
    "flat_collider_pieces": (
        "The plane of {object} cuts {collider} into {count} pieces, and a flat solid knows colliders of one: "
        "make each piece an object of its own, without holes."
    ),
    "flat_collider_leaves": (
        "{collider} leaves the plane of {object}, which is flat: let it move along that plane only, and turn "
        "about what stands upright on it."
    ),
    "flat_pins_leave": (
        "Pins of {object} leave its plane, which a flat solid cannot: move what they hang on along that plane "
        "only."
    ),
    "flat_touches_itself": (
        "{object} is flat, and a flat solid is not kept from passing through itself: switch its Self Contact "
        "off, or give the mesh thickness."
    ),
    # Bake
    "frames_too_few": "The takes of {object} are too short: set Frames per Take to at least {needed}.",
    "vertex_count_changes": (
        "The modifiers before the physics of {object} make {found} vertices out of {expected}: "
        "apply them, or move them behind the physics."
    ),
    "dataset_other_fps": (
        "The dataset {path} was baked at {found} frames per second and the scene runs at {expected}: "
        "set the scene's frame rate back, or choose another dataset folder."
    ),
    "bake_scene_lost": "The scene {path} that {object} is baked in cannot be opened: delete it and bake again.",
    "bake_crashed": (
        "The process that baked {take} ended unexpectedly; all finished frames are kept: "
        "bake again to go on, and if that fails too, see the log {path}."
    ),
    "simulation_unusable": (
        "No frame of the simulation of {object} can be used ({reason}): "
        "raise its quality steps, or let what it reacts to move more slowly."
    ),
    # Models
    "model_missing": "{object} has no model: train one, or import a model file.",
    "jiggle_group_missing": (
        "{object} has no vertex group {group} to hold its jiggle back: choose another Jiggle Group in Play, or clear it."
    ),
    "springs_unknown": "{object} has no model of Jiggle Springs, whose springs could be shown: train one first.",
    "model_not_packed": "{object} has no model in this .blend: train one, import a model file, or pack one first.",
    "model_in_the_way": (
        "{path} holds another model than the one that {object} plays, and would be lost: "
        "move it away, or pack it if it is the one you want."
    ),
    "model_damaged": "The model {path} cannot be read ({reason}): train it again, or ask for a fresh copy.",
    "model_too_large": "The model {path} is larger than {limit}, which no trained model needs: it was not opened.",
    "model_newer": "The model {path} needs a newer version of Neural Physics: update the extension.",
    "model_other_object": (
        "The model was trained on a mesh with {expected} vertices and other faces, "
        "and {object} is not that mesh ({found} vertices): choose the mesh it was trained on, or train again."
    ),
    "model_other_dataset": (
        "The model {path} was not trained on what the dataset {dataset} holds ({reason}): "
        "choose the dataset it was trained on, or another take of the same scene."
    ),
    "model_method_unknown": "The model {path} uses the method “{method}”, which this version does not have: update the extension.",
    # Play
    "not_playing": "{object} is not playing: click Play first.",
    "play_failed": "{object} cannot be played ({reason}): switch Play off and on again.",
    "play_not_numbers": (
        "{object} has no shape at frame {frame}, since its model or what it reacts to gives something that is "
        "not a number: look at what moves it there, or train again."
    ),
    "catch_up_needed": (
        "{object} has {frames} frames to catch up before this one can be shown: "
        "click Catch Up, or go back to the start and play."
    ),
    "look_ahead_not_keyed": (
        "{object} cannot look ahead, since nothing that moves it is animated: key its bones, or their armature."
    ),
    "look_ahead_ends": (
        "From frame {frame} on {object} does not look ahead, since something was posed by hand there or moves "
        "otherwise than before: go back to the start frame."
    ),
    "lock_interface_off": (
        "{object} may be rendered wrong, or Blender may crash, while the window is used during a render: "
        "switch on Render > Lock Interface."
    ),
    "frames_reversed": (
        "The playback of {object} would end at frame {last}, before it begins at {first}: "
        "set them the other way round."
    ),
    "work_removed": "What {task} worked on was removed meanwhile: undo that, or start {task} again.",
    # The graphics card
    "gpu_missing": "There is no graphics card to be used here ({reason}): the processor does its work, only slower.",
    "gpu_other_thread": (
        "The graphics card cannot be used while Blender renders beside its window: "
        "the processor does its work until the render has ended."
    ),
    "gpu_shader_refused": (
        "The graphics card's driver refused the shader “{shader}”, and the processor does its work: "
        "update the driver, and report it with what Blender's console says if that does not help."
    ),
    "gpu_too_large": (
        "{object} would need a texture of {width} by {height}, and the graphics card allows {limit} on a side, "
        "so that the processor does its work: train with fewer bases, or play fewer objects of one model."
    ),
    "gpu_failed": (
        "The graphics card could not do it ({reason}), and the processor does its work: "
        "close other programs that need its memory, then switch Play off and on."
    ),
    "preview_not_linear": (
        "The method of {object}'s model does more than mix shapes, which the viewport preview cannot draw, "
        "so that the mesh is shown instead: switch Viewport Preview off."
    ),
    "preview_modifiers": (
        "The viewport preview cannot draw what other modifiers make of {object} ({modifiers}), "
        "so that the mesh is shown instead: switch these off in viewports, or Viewport Preview."
    ),
    "preview_mode": (
        "The viewport preview of {object} waits until it is in Object Mode: the mesh is shown instead."
    ),
    "preview_shading": (
        "The viewport preview draws solid shading alone, and a viewport shows something else, "
        "so that the mesh of {object} is shown instead: set all viewports to Solid."
    ),
    # Commands
    "no_scene": "No scene is open: name a .blend that is there and can be read before --command.",
    "scene_changed": (
        "{path} was saved by somebody else meanwhile and was left as it is: "
        "what a job made lies beside it, and “pack” puts a model into it."
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
    "object_not_named": "One object must be meant, and these are set up: {found}; name one with --object.",
    "object_busy": "{object} is busy with its {job}: wait until that has finished, or stop it.",
    # Motion
    "motion_box_empty": (
        "The motion box of {object} is empty or its times are not in order: "
        "give it some size, and a shortest time above 0 and below the longest."
    ),
    # Training
    "setting_unknown": "“{setting}” is not a setting of the training: choose from {known}.",
    "setting_unusable": "The training's setting {setting} cannot be “{value}”: give it {allowed}.",
    "device_missing": "There is no CUDA device for training here: choose --device cpu or auto.",
    "training_diverged": "Training stopped giving finite numbers after {steps} steps: lower the learning rate, or choose another preset.",
    "latent_needs_solver": (
        "Latent Dynamics learns from the energies of the bundled solver, which does not simulate {object}: "
        "set Simulated By to Solid, Shell or Rods and click Bake, or choose another method."
    ),
    "latent_needs_hinges": (
        "{object} was simulated as a shell with mid-edge normals, and latent dynamics learns hinges: choose "
        "Simulation > Bending Model > Hinges, delete the dataset and bake again, or choose another method."
    ),
    "latent_needs_one_step": (
        "Latent Dynamics learns whole frames, and {object} takes {steps} steps in each: set its Steps per Frame "
        "to 1 and click Bake, into a new dataset folder if there are takes already, or choose another method."
    ),
    "latent_strands_curved": (
        "The strands of {object} are curved at rest by up to {degrees} degrees at a joint, and how such strands twist "
        "is in no take: give them straight ones, or more joints, or choose another method."
    ),
    "latent_take_without_tracks": (
        "The take {take} of {path} does not say what acted on the body in it: bake it again with this version."
    ),
    "latent_takes_differ": (
        "The take {take} of {path} was baked with other colliders than {first}: "
        "bake all takes with the same ones, into a new dataset folder."
    ),
    "contact_needs_solid": (
        "Contact Corrections learn from a solid of the bundled solver, and {object} is simulated as something else: "
        "set Simulated By to Solid and click Bake, or choose another method."
    ),
    "contact_frame_moves": (
        "{object} is seen from a reference frame that moves, and Contact Corrections need one that stands still: "
        "choose such a Reference Frame, switch Frame Moves off and bake again, or choose another method."
    ),
    "contact_scaled": (
        "{object} is scaled, and Contact Corrections are simulated in metres while it plays: "
        "apply its scale (Object > Apply > Scale) and bake again, or choose another method."
    ),
    "contact_handles_unusable": (
        "{object} cannot be carried by {points} handles, which must reach every part of it and not all lie in one plane: "
        "set more Handles under Train, such as 12."
    ),
    "contact_handle_outside": (
        "The handle {handle} is outside of {object}: put it inside the mesh as that is at rest, and train again."
    ),
    "contact_handle_pinned": (
        "The handle {handle} is where {object} is pinned, which moves as the pins do: "
        "put it further inside, or take it off the list Handles."
    ),
    "contact_handles_together": (
        "The handles {handle} and {other} are too near each other for the tetrahedra of {object}: "
        "move one of them, or set more Tetrahedra and bake again."
    ),
    "contact_handles_named_alike": (
        "Two handles of {object} are called {handle}: give each a name of its own."
    ),
    "contact_handles_few": (
        "{object} cannot be carried by {handles} alone, as they are too few, in one plane, or leave a part of it out: "
        "add more to its list Handles, or empty the list."
    ),
    "contact_no_handles": (
        "Nothing is in the list Handles of {object}: add Empties with the + button, or leave it empty, "
        "and handles are placed by themselves."
    ),
    "contact_core_unknown": (
        "The takes of {object} were baked without the core {handle}: bake again, or set its Core Radius to 0."
    ),
    "core_small": (
        "The core {handle} holds too little of {object} to be turned by: raise its Core Radius, "
        "move it inside the mesh, or set more Tetrahedra."
    ),
    "contact_handle_unset": (
        "Line {row} of the list Handles of {object} has no Empty and no bone: choose one, or remove the line."
    ),
    "contact_pins_unseen": (
        "The pinned parts of {object} are up to {off} off from where its channels tell: "
        "let pins that move hang on an object that is a channel, each group as one rigid piece."
    ),
    "contact_collider_unseen": (
        "No channel of {object} tells where the collider {collider} is: add its position as a channel, "
        "or set its origin to its middle if it turns, and bake again."
    ),
    "contact_collider_turns": (
        "The collider {collider} of {object} turns, which no channel tells: switch on Turning for it "
        "in its training motion and bake again, or let it keep its orientation."
    ),
    "contact_collider_shape": (
        "Contact corrections know balls, boxes and a ground that stands, and the collider {collider} of {object} "
        "is none of them: give it one of these shapes and bake again, or choose another method."
    ),
    "contact_colliders_differ": (
        "The moving colliders of {object} are not of one shape, as contact corrections need them: "
        "make all of them balls, or boxes of one size, and bake again."
    ),
    "contact_collider_larger": (
        "{collider} is larger than the colliders that the model of {object} has learned from "
        "({radius} m instead of at most {learned} m): scale it down, or train with a larger one."
    ),
    "contact_collider_smaller": (
        "{collider} is smaller than the colliders that the model of {object} has learned from "
        "({radius} m instead of at least {learned} m): scale it up, or train with a smaller one."
    ),
    "contact_not_settled": (
        "No shape at rest of {object} was found, so that there is nothing to learn: "
        "train with more handles, or bake takes in which it is deformed less."
    ),
    "training_python_unset": (
        "There is no Python that can train: choose one, or create one, "
        "in Preferences > Add-ons > Neural Physics."
    ),
    "training_python_relative": (
        "The Python {path} is not named by its whole path, so that it would be looked for beside whatever is open: "
        "choose it again in the extension's preferences."
    ),
    "training_python_missing": (
        "The Python that trains, {path}, is not there: choose another in Preferences > Add-ons > Neural Physics."
    ),
    "training_python_lacks": (
        "The Python {path} cannot train, for it lacks {missing}: install that there, or choose another "
        "in Preferences > Add-ons > Neural Physics."
    ),
    "simulating_python_lacks": (
        "The Python {path} cannot simulate, for it lacks {missing}: "
        "create the environment again, or choose another, in Preferences > Add-ons > Neural Physics."
    ),
    "training_python_unusable": (
        "{path} does not answer as a Python does (it said: {reason}): choose another "
        "in Preferences > Add-ons > Neural Physics."
    ),
    "offline_forced": (
        "Blender was started with --offline-mode, so that nothing can be downloaded: start it without, "
        "or choose a Python that has PyTorch already."
    ),
    "offline": "Blender may not go online: allow Online Access in Preferences > System > Network.",
    "environment_busy": "The training environment is being made already: wait until that has finished, or cancel it.",
    "environment_no_room": (
        "There is {free} free on the disk of {path}, and a training environment needs up to {needed}: "
        "free some space, or choose a Python that has PyTorch already."
    ),
    "environment_failed": (
        "The training environment could not be made (“{step}” said: {reason}): "
        "see to that and create it again, or choose a Python that has PyTorch already."
    ),
    # Jobs
    "job_not_started": "{path} could not be started ({reason}): check that the program is there and may be run.",
    "job_elsewhere": (
        "The job in {path} runs on {host} and cannot be ended from here: "
        "wait for its next checkpoint, or end it there."
    ),
    "ended_unexpectedly": (
        "The job ended unexpectedly (status {status}, {said}); what it finished is kept: resume it."
    ),
    "stopped": "Stopped as asked; all that was finished is kept: resume when you like.",
    "unexpected": "Something went wrong that should not have ({reason}): the log is in {path}, please report it.",
}


class Problem(Exception):
    """A bad input, told to the person in one sentence.

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
