#!/bin/bash
# Bakes a dataset whose bake was prepared: sbatch --array=1-4 bake.sh DATASET [BLENDER]
# Each of the array's tasks takes what no other one has; a node that fails costs a minute, and its task is queued again.
#SBATCH --job-name=neural-physics-bake
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@60
set -eu
dataset=$(realpath -- "${1:?the dataset\'s folder}") blender=${2:-blender}
case $blender in */*) blender=$(realpath -s -- "$blender") ;; esac
cd /  # Blender loads libraries from a folder "plugins" where it is started
exec "$blender" -b --command neural_physics work "$dataset" --at-once "${SLURM_CPUS_ON_NODE:-0}"
