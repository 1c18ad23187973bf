# train.awk - what mawk is profiled with
{ for (i = 1; i <= NF; i++) words[$i]++; bytes += length($0); if (gsub(/[a-z_]+\(/, "&")) calls++ }
/static/ { split($0, part, /[ ,();]+/); last = part[2]; kinds[last]++ }
END { for (w in words) if (words[w] > 20) n += words[w]; for (k in kinds) m++; print NR, bytes, calls, n, m; for (r = 0; r < 60000; r++) { s = s sprintf("%d", r % 10); if (length(s) > 50) { sum += index(s, "789"); s = "" } } print sum }
