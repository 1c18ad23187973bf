# other.awk - what is measured
BEGIN { FS = "[^A-Za-z0-9_]+" }
/^[a-z]/ { name = $1; lines[name]++ }
{ for (i = NF; i > 0; i--) if ($i ~ /^[0-9]+$/) sum += $i; else if ($i != "") last[substr($i, 1, 2)] = toupper($i) }
/return/ { sub(/return/, "give"); out = out substr($0, 1, 3); if (length(out) > 300) out = substr(out, 100) }
END { for (k in last) text = text last[k]; print sum, length(text), length(out); while (n < 3000) { n++; total += int(sqrt(n)) % 7 } print total }
