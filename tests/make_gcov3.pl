#!/usr/bin/perl
# Makes data/formats/gcov3/: profiles of GCC's version 3, as AutoFDO's main branch writes them for GCC 16, byte by byte
# from the description of the format, because no AutoFDO that can be installed writes it.
#
#     perl make_gcov3.pl DIR        NAME.afdo and NAME.lst, which says what each byte is; bad-NAME.afdo have an error
#
# test_binary.c knows what they contain and where the errors are. The files without an error have names, files and functions
# in the order in which csspgo writes them.
use strict;
use warnings;

my $dir = shift or die "usage: make_gcov3.pl DIR\n";
my ($bytes, $list);

sub put {
    my ($what, $b) = @_;
    for (my $i = 0; $i < length $b || $i == 0; $i += 16) {
        my $part = substr $b, $i, 16;
        $list .= sprintf "%4d  %-48s%s\n", $i + length $bytes, join(' ', map { sprintf '%02x', ord } split //, $part),
                         $i == 0 ? $what : '';
    }
    $bytes .= $b;
}
sub u32 { put($_[0], pack 'V', $_[1]) }
sub u64 { put($_[0], pack 'Q<', $_[1]) }
sub string { my ($what, $s) = @_; u32("$what: bytes, with the NUL", 1 + length $s); put("'$s'", "$s\0") }

# Puts what a section holds, and then its length in words, rounded up, in the place that was left for it.
sub section {
    my ($tag, $what, $content) = @_;
    u32("tag: $what", $tag);
    my ($before, $said) = ($bytes, $list);
    u32('', 0);
    my $at = length $bytes;
    ($bytes, $list) = ("\0" x $at, '');
    $content->();
    my ($size, $inner, $rest) = (length($bytes) - $at, $list, substr $bytes, $at);
    ($bytes, $list) = ($before, $said);
    u32('words in the section, which no reader needs', int(($size + 3) / 4));
    $bytes .= $rest;
    $list .= $inner;
}

# A function or inlinee: name, positions [line, discriminator, count, [name, count]...], inlinees [line, discriminator, record]
sub record {
    my ($name, $positions, $inlinees) = @_;
    u32('name', $name);
    u32('positions', scalar @$positions);
    u32('inlinees', scalar @$inlinees);
    for (@$positions) {
        my ($line, $disc, $count, @target) = @$_;
        u32("line $line, discriminator $disc", $line << 16 | $disc);
        u32('call targets', scalar @target);
        u64('count', $count);
        for (@target) { u32('histogram type: calls', 7); u64('name', $_->[0]); u64('calls', $_->[1]) }
    }
    for (@$inlinees) {
        my ($line, $disc, $record) = @$_;
        u32("inlined at line $line, discriminator $disc", $line << 16 | $disc);
        record(@$record);
    }
}

# A file: summary [6 numbers, cutoffs...], files, names [name, file or -1], functions [head, time, record]
sub file {
    my ($name, $summary, $files, $names, $functions, $lead) = @_;
    ($bytes, $list) = ('', '');
    put('magic number', 'adcg');
    u32('version', 3);
    u32('stamp', 0);
    u32('tag: summary, which has no length', 0xa8000000);
    my ($total, $max, $head, $counts, $functions_all, @cutoff) = @$summary;
    u64('sum of counts', $total);
    u64('largest count', $max);
    u64('largest head count', $head);
    u64('number of counts', $counts);
    u64('number of functions', $functions_all);
    u64('number of cutoffs', scalar @cutoff);
    for (@cutoff) { u32("cutoff, in millionths", $_->[0]); u64('  its least count', $_->[1]); u64('  its number of counts', $_->[2]) }
    section(0xaa000000, 'names', sub {
        u32('files', scalar @$files);
        string("file $_", $files->[$_]) for 0 .. $#$files;
        u32('names', scalar @$names);
        for (0 .. $#$names) {
            string("name $_", $names->[$_][0]);
            u32($names->[$_][1] < 0 ? 'file: not known' : 'file', $names->[$_][1] & 0xffffffff);
        }
    });
    section(0xac000000, 'functions', sub {
        u32('functions', scalar @$functions);
        for (@$functions) {
            my ($head, $time, $record) = @$_;
            u64('head count', $head);
            u64('time of its first sample', $time);
            record(@$record);
        }
    });
    u32('tag: modules, which GCC expects', 0xae000000);
    u32('words', 1);
    u32('modules', 0);
    open my $f, '>:raw', "$dir/$name.afdo" or die "$dir/$name.afdo: $!\n";
    print $f $bytes;
    close $f;
    return if $name =~ /^bad/;
    open $f, '>', "$dir/$name.lst" or die "$dir/$name.lst: $!\n";
    print $f $list;
    close $f;
}

# The cutoffs of LLVM's summary: a file that csspgo writes has all of them.
my @PPM = (10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000, 950000, 990000, 999000,
           999900, 999990, 999999);
sub cutoffs { my ($total, @count) = @_;          # counts, the largest first
    map { my $ppm = $_; my ($sum, $n) = (0, 0); $sum += $count[$n++] while $sum * 1000000 < $total * $ppm;
          [ $ppm, $count[$n - 1], $n ] } @PPM }

# Two static functions of one name, in two files; one of them inlined into main, whose file is not known.
my @names = (['', -1], ['foo', 0], ['foo', 1], ['main', -1]);
my @summary = (100, 60, 7, 4, 3, cutoffs(100, 60, 20, 15, 5));
my $main = [7, 5000, [3, [[1, 0, 60, [1, 6], [2, 4]]], []]];
my @two = ($main, [6, 7000, [1, [[2, 0, 20]], []]], [4, 6000, [2, [[2, 3, 15]], [[4, 0, [1, [[2, 0, 5]], []]]]]]);
file('two-files', \@summary, ['a.c', 'dir/b.c'], \@names, [$main, @two[1, 2]]);
file('no-files', \@summary, [], [['', -1], ['bar', -1], ['foo', -1], ['main', -1]],
     [$main, [6, 0, [1, [[2, 0, 20]], []]], [4, ~0, [2, [[2, 3, 15]], [[4, 0, [1, [[2, 0, 5]], []]]]]]]);

# Errors: a file that is not there; a hundred functions of a file with a name of 20,000 bytes.
file('bad-file', \@summary, ['a.c'], \@names, [$main]);
file('bad-long', [0, 0, 0, 0, 0], ['d/' x 10000], [['', -1], map { ["f$_", 0] } 1 .. 100], []);
