#!/usr/bin/perl
# Makes a perf.data with control groups, as of perf record --all-cgroups:
#
#     make_cgroups.pl KIND [PROGRAM ADDRESS ADDRESS ADDRESS] >PERF.DATA
#
# PROGRAM is mapped at 0x401000, offset 0x1000; a process samples its ADDRESS, in hexadecimal.
#
# Three processes, 1 to 3, sample /a, /a/b, /ab and a group that no record names: process 1 is in /a ten times, 2 in /a/b
# twenty times and in /ab three times, 3 in the one without a name once. KIND is made of words: big (endian), pages (sizes
# of pages behind the group), fields (registers, stack, weight and so on before it), aux (trace data behind it), none
# (samples do not say their group).
use strict;
use warnings;

my %kind = map { $_ => 1 } split /,/, shift // '';
my $big = $kind{big};
my $program = shift // '/bin/p';
my @at = (0, map { hex } @ARGV ? @ARGV : qw(401010 401020 401030));
sub u16 { pack $big ? 'n' : 'v', shift }
sub u32 { pack $big ? 'N' : 'V', shift }
sub u64 { pack $big ? 'Q>' : 'Q<', shift }
sub record { my ($type, $misc, $body) = @_; $body .= "\0" x (-length($body) & 7); u32($type) . u16($misc) . u16(8 + length $body) . $body }

# IP, TID, TIME, CALLCHAIN, and what the words add
my $type = 1 | 2 | 4 | 0x20;
$type |= 0x1000 | 0x2000 | 0x4000 | 0x8000 | 0x20000 | 0x40000 | 0x80000 if $kind{fields};
$type |= 0x200000 unless $kind{none};
$type |= 0xc00000 if $kind{pages};
$type |= 0x100000 if $kind{aux};

my $time = 1000;
sub sample {
    my ($pid, $group) = @_;
    my $b = u64($at[$pid]) . u32($pid) . u32($pid) . u64($time++);
    $b .= u64(2) . u64(-512) . u64($at[$pid]);
    $b .= u64(0) . u64(0) . u64(5) . u64(0) . u64(0) . u64(0) . u64(0x1234) if $kind{fields};    # without registers, stack
    $b .= u64($group) unless $kind{none};
    $b .= u64(4096) . u64(4096) if $kind{pages};
    $b .= u64(8) . u64(77) if $kind{aux};
    record(9, 2, $b);
}

my %path = (101 => '/a', 102 => '/a/b', 103 => '/ab');
my $data = '';
$data .= record(19, 0, u64($_) . $path{$_} . "\0") for sort keys %path;
for my $pid (1 .. 3) {
    $data .= record(3, 0, u32($pid) . u32($pid) . "p$pid\0");
    $data .= record(10, 2, u32($pid) . u32($pid) . u64(0x401000) . u64(0x1000) . u64(0x1000) . "\0" x 24 . u32(5) . u32(2) . "$program\0");
}
my @sample = ((map { [1, 101] } 1 .. 10), (map { [2, 102] } 1 .. 20), (map { [2, 103] } 1 .. 3), [3, 999]);
$data .= sample(@{ $sample[$_ * 7 % @sample] }) for 0 .. $#sample;

my $attr = u32(0) . u32(128) . u64(0) . u64(1000) . u64($type) . u64(0) . u64($big ? 0 : 0);
$attr .= "\0" x (128 - length $attr);
my $at = 104 + 144;
print +($big ? reverse('PERFILE2') . '' : 'PERFILE2'), u64(104), u64(144), u64(104), u64(144), u64($at), u64(length $data), "\0" x 16, "\0" x 32,
    $attr, u64(0), u64(0), $data;
