#!/bin/sh
# The sum of squares with the tools of every machine; a worker and a program.
while read -r line; do
  echo "$line" | awk '{ s = 0; for (i = 1; i <= NF; i++) s += $i * $i;
                        printf "%.17g\n", s }'
done
