#!/usr/bin/perl
# make_trace.pl FORM BASE BEGIN END DIR <SCRIPT - a trace of branches (DIR/trace) out of branch records of one thread in
# FORM perf, magic or bare, and how often each branch and range in [BEGIN, END) of a program mapped at BASE ran, as raw
# counters have it (DIR/ranges). Where records do not follow one another the trace is interrupted: it begins anew.
use strict;
use warnings;
no warnings 'portable';
my ($form, $base, $begin, $end, $dir) = ($ARGV[0], map({ hex } @ARGV[1 .. 3]), $ARGV[4]);
my ($n, $at, $last, $tid, %count) = (0, undef, '', 0);
open my $out, '>', "$dir/trace" or die;
open my $to, '>', "$dir/ranges" or die;
sub is_in { my ($a) = @_; $a >= $base + $begin && $a < $base + $end }
sub branch {
    my ($from, $to, $flags) = @_;
    my ($f, $t) = map { sprintf '%x', $_ } $from, $to;
    $n++;
    if ($form eq 'perf') {
        printf $out "a b 1  1000/%d [000] 12.%09d:          1 branches:uH: %16s f(int, ab)+0x1 (/x y) => %16s cafe+0x0 (/demo)\n", 1000 + $tid, $n, $f, $t;
    } elsif ($form eq 'magic') {
        printf $out " 1000/%-6d 12.%09d:   %-22s %16s f+0x44 => %16s g+0x0\n", 1000 + $tid, $n, $flags, $f, $t;
    } else {
        printf $out "%16s => %16s\n", $f, $t;
    }
}
while (<STDIN>) {
    if (/PERF_RECORD/) { print $out $_; next }
    next unless /^ 0x/;
    my @b = reverse map { m{^0x([0-9a-f]+)/0x([0-9a-f]+)/} ? [hex $1, hex $2] : () } split;
    # a window goes on where it has the last branch of the one before, else the trace is interrupted
    my ($same) = grep { "@{$b[$_]}" eq $last } 0 .. $#b;
    if (defined $same) { splice @b, 0, $same + 1 } else { $at = undef }
    for my $b (@b) {
        my ($f, $t) = @$b;
        $last = "@$b";
        if (!defined $at) {
            $tid = ($tid + 1) % 3 unless $form eq 'bare';
            branch(0, $f, 'tr strt');
            $at = $f;
        }
        $count{sprintf '%x-%x', $at - $base, $f - $base}++ if is_in($at) && is_in($f);
        $count{sprintf '%x->%x', $f - $base, $t - $base}++ if is_in($f) && is_in($t);
        branch($f, $t, 'call');
        $at = $t;
    }
}
print $to map { "$_:$count{$_}\n" } sort keys %count;
