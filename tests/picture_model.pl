#!/usr/bin/perl
# picture_model.pl SYMBOLS <SCRIPT - what folded makes of a script of addresses in one program, by the output of nm -n: a
# frame is the last symbol of code at or before its address, a caller the one at the byte before it
use strict;
use warnings;
no warnings 'portable';
my @symbol;
open my $f, '<', $ARGV[0] or die $!;
while (<$f>) { push @symbol, [hex $1, $2] if /^([0-9a-f]+) [tTwW] (\S+)/ }
my ($at, $size, $offset, %sum, @stack);
sub name {
    my ($address, $caller) = @_;
    return '[kernel]' if $address =~ /^ffffffff/;
    my $a = hex($address) - $caller;
    return '[unknown]' unless defined $at && $a >= $at && $a < $at + $size;
    $a = $a - $at + $offset;                # segments of the demo are at their offsets
    my $name;
    for (@symbol) { last if $_->[0] > $a; $name = $_->[1] }
    return $name;
}
sub over {
    $sum{join ';', reverse map { name($stack[$_], $_ != 0 && !($stack[$_ - 1] =~ /^ffffffff/ && $stack[$_] !~ /^ffffffff/)) } 0 .. $#stack}++ if @stack;
    @stack = ();
}
while (<STDIN>) {
    if (/PERF_RECORD_MMAP2.*\[0x([0-9a-f]+)\(0x([0-9a-f]+)\) \@ (?:0x)?([0-9a-f]+)/) { ($at, $size, $offset) = (hex $1, hex $2, hex $3) }
    elsif (/^\s+([0-9a-f]+)$/) { push @stack, $1 }
    elsif (/^$/) { over() }
}
over();
print map { "$_ $sum{$_}\n" } sort { "$a " cmp "$b " } keys %sum;
