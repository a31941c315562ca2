#!/bin/sh
# A program for `lrgd minimize --program`: how far a ladder filter of 20 coils
# and 20 capacitors is from the wish.  In: one line, 20 inductances in henry,
# then 20 capacitances in farad.  Out: the mean square of what is missing, in
# dB: 6.02 dB of loss up to 1 MHz (as little as two resistors allow), 60 dB and
# more from 2 MHz on.  ngspice runs in the fresh folder lrgd made for us.
#
#   lrgd minimize --program 'sh filter.sh' --dim 40 --start start.txt \
#     --log all --jobs 2 --max-evals 600 --journal filter.db
set -eu
read -r values
echo "$values" | awk '{
  print "a ladder between two resistors"
  print "V1 source 0 AC 1"
  print "Rs source n0 50"
  for (i = 1; i <= 20; i++) {
    printf "L%d n%d n%d %s\n", i, i - 1, i, $i
    printf "C%d n%d 0 %s\n", i, i, $(20 + i)
  }
  print "Rl n20 0 50"
  print ".options numdgt=14"
  print ".ac lin 40 0.1meg 4meg"
  print ".print ac vdb(n20)"
  print ".end"
}' >filter.cir
# ngspice talks of many things; its complaints go to standard error
ngspice -b filter.cir >filter.out
awk '$1 ~ /^[0-9]+$/ && NF == 3 {
  miss = 0
  if ($2 < 1.05e6) miss = $3 + 6.0206
  if ($2 > 1.95e6 && $3 > -60) miss = $3 + 60
  sum += miss * miss
  n++
}
END {
  if (n != 40) { print "ngspice gave " n + 0 " rows, not 40" >"/dev/stderr"
                 exit 1 }
  printf "%.15g\n", sum / n
}' filter.out
