#!/usr/bin/perl
# pprof_stacks.pl <FILE: the stacks of a profile.proto, uncompressed, as csspgo folded prints them
use strict;
use warnings;

# The fields of a message: [number, value or bytes] each.
sub fields {
    my ($b) = @_;
    my ($p, @f) = (0);
    my $int = sub {
        my ($n, $s) = (0, 0);
        while (1) { my $c = ord substr($b, $p++, 1); $n |= ($c & 127) << $s; return $n if $c < 128; $s += 7 }
    };
    while ($p < length $b) {
        my $tag = $int->();
        my $v = $int->();
        if (($tag & 7) == 2) { push @f, [$tag >> 3, substr($b, $p, $v)]; $p += $v }
        else { push @f, [$tag >> 3, $v] }
    }
    return @f;
}
sub message { return map { $_->[0] => $_->[1] } fields($_[0]) }
sub ints {
    my ($n, $s, @v) = (0, 0);
    for (unpack 'C*', $_[0]) {
        $n |= ($_ & 127) << $s;
        $s += 7;
        if ($_ < 128) { push @v, $n; ($n, $s) = (0, 0) }
    }
    return @v;
}

binmode STDIN;
my @top = do { local $/; fields(scalar <STDIN>) };
my (@strings, %function, %location);
for (@top) {
    my ($k, $v) = @$_;
    push @strings, $v if $k == 6;
    if ($k == 5) { my %f = message($v); $function{$f{1}} = $f{2} }
    if ($k == 4) { my %l = message($v); my %line = message($l{4}); $location{$l{1}} = $line{1} }
}
my %type = message((grep { $_->[0] == 1 } @top)[0][1]);
die "no type\n" if "$strings[$type{1}] $strings[$type{2}]" ne 'samples count' || $strings[0] ne '';
for (grep { $_->[0] == 2 } @top) {
    my %s = message($_->[1]);
    my ($count) = ints($s{2});
    print join(';', map { $strings[$function{$location{$_}}] } reverse ints($s{1})), " $count\n";
}
