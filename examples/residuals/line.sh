# The same for --program: run once for each line, the answer is what it prints.
read -r a b
awk -v a="$a" -v b="$b" '{ printf "%.17g ", a + b * $1 - $2 }
  END { print "" }' <<'END'
0 1.1
1 2.9
2 5.2
3 7.1
4 8.8
END
