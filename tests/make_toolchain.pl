# make_toolchain.pl SEED - a random program in the subset of C that examples/toolchain compiles. It ends, and does
# nothing that C leaves open, with -fwrapv.
use strict;
use warnings;
srand($ARGV[0] // 1);
my ($functions, $depth, $loops, @vars) = (3 + int rand 5, 0, 0);
sub pick { $_[int rand @_] }
sub leaf {
    my $r = rand;
    return pick(@vars) if $r < 0.55 && @vars;
    return pick(0, 1, 2, -1, 7, 100, 255, 65536, 2147483647, "0x80000000", "5u", "'a'", "K") if $r < 0.75;
    return pick("g0", "g1", "u0") if $r < 0.85;
    return pick("a", "w", "b", "c", "p") . "[" . pick(@vars, 3) . " & 15]";
}
sub expr {
    my $d = shift;
    return leaf() if $d <= 0 || rand() < 0.15;
    my $r = rand;
    return "(" . expr($d - 1) . pick(" + ", " - ", " * ", " & ", " | ", " ^ ") . expr($d - 1) . ")" if $r < 0.45;
    # a divisor is at least 2: gcc 12 makes x - x / y into x + x / -y, which traps for y = 1 and the least x
    return "(" . expr($d - 1) . pick(" / ", " % ") . "((" . expr($d - 1) . " & 15) + 2))" if $r < 0.55;
    return "(" . expr($d - 1) . pick(" << ", " >> ") . "(" . expr($d - 1) . " & 31))" if $r < 0.65;
    return "(" . expr($d - 1) . pick(" < ", " > ", " <= ", " >= ", " == ", " != ") . expr($d - 1) . ")" if $r < 0.77;
    return "(" . expr($d - 1) . pick(" && ", " || ") . expr($d - 1) . ")" if $r < 0.84;
    return "(" . expr($d - 1) . " ? " . expr($d - 1) . " : " . expr($d - 1) . ")" if $r < 0.9;
    return pick("-", "~", "!", "(unsigned char)", "(char)", "(unsigned)", "(int)") . "(" . expr($d - 1) . ")";
}
sub place { pick(@vars, "g0", "u0", pick("a", "w", "b", "c", "p") . "[" . pick(@vars) . " & 15]") }
sub assignments {    # assignments within expressions; each variable is used once, or behind a sequence point
    my $i = int rand @vars;
    my ($v, $w) = rand() < 0.7 ? ($vars[$i], $vars[$i - 1]) : @{pick(["x", "g0"], ["g1", "y"])};
    my $e = expr(2);
    return pick("$v = ($e) ? ($w = " . expr(2) . ") : " . expr(1) . ";\n", "$v = ($w = $e, $w + 1);\n",
        "if (($w = $e) > 5 && ($v = $w + 1)) u0 += $v;\n", "$w = ($e) && ($v = 3);\n", "u0 = ($v = $e) + 1;\n",
        "c[3] = $w = $v = b[2] = $e;\n", "u0 += ($e) ? $v++ : --$w;\n", "$w = ($v -= 3) < 0 || !($e);\n");
}
sub block {
    my ($f, $d) = @_;
    my $text = "{\n";
    my $kept = @vars;
    for (1 .. 1 + int rand 4) { $text .= statement($f, $d) }
    $#vars = $kept - 1;
    return $text . "}\n";
}
sub statement {
    my ($f, $d) = @_;
    my $r = rand;
    my $i = "i" . $loops;
    if ($d <= 0 || $r < 0.35) {
        return place() . pick(" = ", " += ", " -= ", " ^= ", " *= ") . expr(3) . ";\n" if rand() < 0.8;
        return assignments() if rand() < 0.5;
        return pick(place() . pick("++", "--"), pick("++", "--") . place()) . ";\n";
    }
    if ($r < 0.5) {
        my $to = pick("a", "p", "a + 3", "&p[2]");
        return place() . " = f" . int(rand $f) . "(" . expr(2) . ", " . expr(2) . ", $to);\n" if $f;
        return "g1 = " . expr(3) . ";\n";
    }
    if ($r < 0.7) {
        my $if = "if (" . expr(3) . ") " . block($f, $d - 1);
        return rand() < 0.5 ? $if : $if . "else " . block($f, $d - 1);
    }
    if ($r < 0.78) {
        my $s = "switch (" . expr(2) . " & 7) {\n";
        my %seen;
        for (1 .. 1 + int rand 4) {
            my $k = int rand 8;
            $s .= "case $k: " . block($f, $d - 1) . pick("", "break;\n") if !$seen{$k}++;
        }
        $s .= "default: " . block($f, $d - 1) if rand() < 0.5;
        return $s . "}\n";
    }
    if ($r < 0.84) {
        my $v = "v" . $loops++;
        my $s = pick("int", "unsigned") . " $v = " . expr(2) . ";\n";
        push @vars, $v;
        return $s;
    }
    $loops++;
    my $n = 1 + int rand 6;
    my $out = rand() < 0.4 ? "if (" . expr(2) . ") " . pick("break", "continue") . ";\n" : "";
    my $body = "{\n$out" . block($f, $d - 1) . "}\n";
    return "{ int $i = 0; while ($i++ < $n) $body }\n" if rand() < 0.3;
    return "{ int $i = $n; do $body while (--$i > 0); }\n" if rand() < 0.3;
    return "for (int $i = 0; $i < $n; $i++) $body";
}
print "#include <stdio.h>\nenum { J, K = 9 };\nint g0, g1 = 3, fuel = 3000;\nunsigned u0 = 77;\n";
print "int a[64] = { 1, -2, 3 };\nunsigned w[16];\nchar b[16] = \"random\";\nstatic unsigned char c[16];\n";
for my $f (0 .. $functions - 1) {
    @vars = ("x", "y");
    my $static = pick("", "static ");
    print "${static}", pick("int", "unsigned"), " f$f(int x, unsigned y, int *p)\n{\n    if (fuel-- <= 0) return x;\n";
    if (rand() < 0.4) { print "int l[64];\nfor (int k = 0; k < 64; k++) l[k] = (k < 16 ? p[k] : k) + x;\np = l;\n" }
    print statement($f, 3) for 1 .. 1 + int rand 4;
    print "return ", expr(3), ";\n}\n";
}
print "int main(void)\n{\n    unsigned sum = 0;\n    for (int i = 0; i < 40; i++) {\n        fuel = 3000;\n";
print "        sum = sum * 31 + f$_(i, sum, a);\n" for 0 .. $functions - 1;
print "    }\n    for (int i = 0; i < 16; i++) sum = sum * 31 + a[i] + w[i] + b[i] + c[i];\n";
print "    printf(\"%u %d %d %u\\n\", sum, g0, g1, u0);\n    return 0;\n}\n";
