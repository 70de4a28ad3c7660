#!/bin/bash
# Looks for the settings that train the best model: sbatch --array=1-4 search.sh DATASET TRIALS [BLENDER [OPTIONS...]]
# Each of the array's tasks trains what no other one does, as many in all; one queued again goes on. OPTIONS are those
# of `search`, such as --method=latent_dynamics or --over=bases=32,64.
#SBATCH --job-name=neural-physics-search
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@60
set -eu
dataset=$(realpath -- "${1:?the dataset\'s folder}") trials=${2:?how many trainings} blender=${3:-blender}
shift $(($# < 3 ? $# : 3))
case $blender in */*) blender=$(realpath -s -- "$blender") ;; esac
cd /  # Blender loads libraries from a folder "plugins" where it is started
exec "$blender" -b --command neural_physics search "$dataset" --trials "$trials" "$@"
