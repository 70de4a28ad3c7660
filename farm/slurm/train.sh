#!/bin/bash
# Trains and measures what was baked: sbatch --dependency=afterok:JOB train.sh SCENE.blend DATASET [BLENDER [OBJECT]]
# Queued again, the training goes on from its last checkpoint.
#SBATCH --job-name=neural-physics-train
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu
scene=$(realpath -- "${1:?the scene}") dataset=$(realpath -- "${2:?the dataset\'s folder}") blender=${3:-blender}
case $blender in */*) blender=$(realpath -s -- "$blender") ;; esac
cd /  # Blender loads libraries from a folder "plugins" where it is started
"$blender" -b --command neural_physics finish "$dataset"
"$blender" -b "$scene" --command neural_physics train --dataset "$dataset" ${4:+"--object=$4"}
"$blender" -b "$scene" --command neural_physics evaluate --dataset "$dataset" ${4:+"--object=$4"}
