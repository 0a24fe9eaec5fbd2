#!/bin/sh
# A sweep as a Slurm array: each task makes one shard.
#
#   sbatch --array=1-200 slurm-array.sh loads.toml /shared/loads
#   filch merge /shared/loads
#
# The folder is on a file system that all nodes see. A task that fails or is requeued goes on where
# it stopped: submit the same line again, and finished shards compute nothing. To run some shards
# alone, say how many there are in all:
#
#   FILCH_SHARDS=200 sbatch --array=3,7 slurm-array.sh loads.toml /shared/loads
#SBATCH --job-name=filch-sweep
#SBATCH --requeue

set -eu

if [ $# -ne 2 ] || [ -z "${SLURM_ARRAY_TASK_ID-}" ]; then
  echo 'usage: sbatch --array=1-N slurm-array.sh FILE DIR' >&2
  exit 2
fi
if [ -z "${FILCH_SHARDS-}" ] && [ "$SLURM_ARRAY_TASK_COUNT" != "$SLURM_ARRAY_TASK_MAX" ]; then
  echo 'the array is not 1-N: say how many shards there are in FILCH_SHARDS' >&2
  exit 2
fi

exec "${FILCH-filch}" sweep "$1" --out "$2" --threads "${SLURM_CPUS_PER_TASK-1}" \
  --shard "$SLURM_ARRAY_TASK_ID/${FILCH_SHARDS-$SLURM_ARRAY_TASK_MAX}"
