#!/bin/bash
# Bakes a dataset whose bake was prepared: sbatch --array=1-4 bake.sh DATASET [BLENDER]
# Each of the array's tasks takes what no other one has; a node that fails costs a minute, and its task is queued again.
#SBATCH --job-name=neural-physics-bake
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@60
set -eu
dataset=${1:?the dataset\'s folder}
exec "${2:-blender}" -b --command neural_physics work "$dataset" --at-once "${SLURM_CPUS_ON_NODE:-0}"
