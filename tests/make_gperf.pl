#!/usr/bin/perl
# make_gperf.pl SEED WORD ORDER DIR <SCRIPT - a CPU profile of gperftools with words of 4 or 8 bytes, ORDER < or >, of
# some stacks of the script's /demo.elf: DIR/gperf; the same stacks as text of perf script: DIR/gperf.ps
use strict;
use warnings;
no warnings 'portable';
my ($seed, $word, $order, $dir) = @ARGV;
srand($seed);
my $base = $word == 4 ? 0x55555000 : 0x555555555000;
my $handler = $seed % 2 ? 0x7000 : 0;         # the second frame of all
my $pack = ($word == 4 ? 'L' : 'Q') . $order;
my $maps = sprintf "%x-%x r--p 00000000 fe:00 5316982 /demo.elf\n%x-%x r-xp 00001000 fe:00 5316982    /demo.elf\nbuild=/x\n",
    $base - 4096, $base, $base, $base + 4096;
my (@stack, @now);
while (<STDIN>) {
    if (/^\t +5{9}([0-9a-f]{3})$/) { push @now, $base + hex $1 }
    elsif (/^$/) { push @stack, [@now] if @now; @now = () }
}
open my $f, '>:raw', "$dir/gperf" or die;
open my $t, '>', "$dir/gperf.ps" or die;
printf $t " PERF_RECORD_MMAP2 1/1: [0x%x(0x1000) @ 0x1000 fe:00 5316982 0]: r-xp /demo.elf\n", $base;
print $f pack "$pack*", 0, 3, 0, 10000, 0;
for (1 .. 40) {
    my @pc = @{$stack[rand @stack]};
    my @all = @pc;
    splice @all, 1, 0, $handler if $handler;
    my $n = 1 + int rand 5;
    print $f pack "$pack*", $n, scalar @all, @all;
    for (1 .. $n) { printf $t "\t%x\n", $_ for @pc; print $t "\n" }
}
print $f pack("$pack*", 0, 1, 0), $maps;
