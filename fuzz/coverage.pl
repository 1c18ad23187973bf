#!/usr/bin/perl
# coverage.pl HEADER LCOV FLOORS: which lines, branches and functions of each layer a run reached, from llvm-cov's lcov of
# the library. FLOORS has lines "layer lines% branches%"; below one of them the status is 1. So it is if a public
# function was never entered, unless FLOORS has a line "never function reason", and if one with such a line was.
use strict;
use warnings;

my ($header, $lcov, $floors) = @ARGV;
my @layer;    # by line
my (%interface, @order);
{
    open my $in, '<', $header or die "$header: $!";
    my ($name, $half) = ('', 0);
    while (<$in>) {
        $half = 1 if /The interface ends here/;
        if (m{^/\* ===== >>(\w+)}) {
            $name = $1;
            push @order, $name if $half;
        }
        $interface{$1} = 1 if !$half && /^CSSPGO_DEF [^(]*?\b(csspgo_\w+)\(/;
        $layer[$.] = $half ? $name : '';
    }
}

my (%lines, %reached, %branches, %taken, %functions, %entered, @never, %at);
open my $in, '<', $lcov or die "$lcov: $!";
my $ours = 0;
while (<$in>) {
    $ours = /csspgo\.h$/ if /^SF:/;
    next unless $ours;
    if (/^FN:(\d+),(?:.*:)?(\w+)/) { $at{$2} = $1 }
    elsif (/^FNDA:(\d+),(?:.*:)?(\w+)/) {
        my $l = $layer[$at{$2} // 0] or next;
        $functions{$l}++;
        if ($1) { $entered{$l}++ } else { push @never, $2 if $interface{$2} }
    }
    elsif (/^DA:(\d+),(\d+)/) {
        my $l = $layer[$1] or next;
        $lines{$l}++;
        $reached{$l}++ if $2;
    }
    elsif (/^BRDA:(\d+),.*,(\S+)$/) {
        my $l = $layer[$1] or next;
        $branches{$l}++;
        $taken{$l}++ if $2 ne '-' && $2 ne '0';
    }
}

my (%floor, %except);
if (open my $f, '<', $floors) {
    while (<$f>) {
        $floor{$1} = [$2, $3] if /^(\w+)\s+([\d.]+)\s+([\d.]+)/;
        $except{$1} = 1 if /^never\s+(\w+)\s+\S/;
    }
}

sub percent { my ($part, $all) = @_; return $all ? 100 * ($part // 0) / $all : 100 }

my ($below, %sum) = (0);
printf "%-14s %7s %7s %9s %7s %10s %14s\n", qw(layer lines % branches % functions never-entered);
for my $l (grep { $lines{$_} } @order) {
    my ($p, $q) = (percent($reached{$l}, $lines{$l}), percent($taken{$l}, $branches{$l}));
    my $low = $floor{$l} && ($p < $floor{$l}[0] || $q < $floor{$l}[1]);
    $below ||= $low;
    printf "%-14s %7d %7.1f %9d %7.1f %10d %14d%s\n", $l, $lines{$l}, $p, $branches{$l} // 0, $q, $functions{$l},
        $functions{$l} - ($entered{$l} // 0), $low ? "  below $floor{$l}[0] $floor{$l}[1]" : '';
    $sum{lines} += $lines{$l};
    $sum{reached} += $reached{$l} // 0;
    $sum{branches} += $branches{$l} // 0;
    $sum{taken} += $taken{$l} // 0;
    $sum{functions} += $functions{$l};
    $sum{entered} += $entered{$l} // 0;
}
printf "%-14s %7d %7.1f %9d %7.1f %10d %14d\n", 'all', $sum{lines}, percent($sum{reached}, $sum{lines}), $sum{branches},
    percent($sum{taken}, $sum{branches}), $sum{functions}, $sum{functions} - $sum{entered};
my %unseen = map { $_ => 1 } @never;
my @wrong = grep { !$unseen{$_} } sort keys %except;
@never = grep { !$except{$_} } sort @never;
print scalar(@never), " public functions were never entered", (@never ? ": @never" : ''), "\n";
print "these were entered, though the list of exceptions has them: @wrong\n" if @wrong;
exit($below || @never || @wrong ? 1 : 0);
