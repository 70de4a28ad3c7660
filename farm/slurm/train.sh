#!/bin/bash
# Trains and measures what was baked: sbatch --dependency=afterok:JOB train.sh SCENE.blend DATASET [BLENDER [OBJECT]]
# Queued again, the training goes on from its last checkpoint.
#SBATCH --job-name=neural-physics-train
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu
scene=${1:?the scene} dataset=${2:?the dataset\'s folder} blender=${3:-blender}
"$blender" -b --command neural_physics finish "$dataset"
"$blender" -b "$scene" --command neural_physics train --dataset "$dataset" ${4:+"--object=$4"}
"$blender" -b "$scene" --command neural_physics evaluate --dataset "$dataset" ${4:+"--object=$4"}
