#!/usr/bin/perl
# Makes data/formats/newer/: ExtBinary profiles as LLVM's main branch writes them (versions 104 and 105), byte by byte
# from the description of the format, because no LLVM that can be installed writes them.
#
#     perl make_newer.pl DIR        NAME.prof and NAME.lst, which says what each byte is; bad-NAME.prof have an error
#
# test_binary.c knows what they contain and where the errors are.
use strict;
use warnings;
use Digest::MD5 'md5';

my $dir = shift or die "usage: make_newer.pl DIR\n";
my ($bytes, $list);

sub uleb { my $v = shift; my $s = ''; do { my $b = $v & 127; $v >>= 7; $s .= chr($b | ($v ? 128 : 0)) } while $v; $s }
sub u64 { pack 'Q<', shift }
sub put {
    my ($what, $b) = @_;
    $list .= sprintf "%4d  %-36s %s\n", length $bytes, join(' ', map { sprintf '%02x', ord } split //, $b), $what;
    $bytes .= $b;
}

# The GUID of a name: the first 8 bytes of its MD5, the lowest first.
sub guid { substr md5(shift), 0, 8 }

# Names in the order of a search tree of their GUIDs: the middle one of a complete tree, then level by level.
sub tree {
    my @sorted = sort { unpack('Q<', guid($a)) <=> unpack('Q<', guid($b)) } @_;
    my @at;
    my $walk;
    $walk = sub { my $i = shift; return if $i > $#sorted; $walk->(2 * $i + 1); push @at, $i; $walk->(2 * $i + 2) };
    $walk->(0);
    my @tree;
    $tree[$at[$_]] = $sorted[$_] for 0 .. $#sorted;
    @tree;
}

# The text of a record's counts: total, then [line, discriminator, count, [callee, count]...]...
sub counts {
    my ($index, $total, @body) = @_;
    my $s = uleb($total) . uleb(scalar @body);
    for (@body) {
        my ($line, $disc, $count, @target) = @$_;
        $s .= uleb($line) . uleb($disc) . uleb($count) . uleb(@target / 2);
        while (@target) { my ($f, $n) = splice @target, 0, 2; $s .= uleb($index->{$f}) . uleb($n) }
    }
    $s;
}

sub summary { uleb(100) . uleb(40) . uleb(9) . uleb(6) . uleb(2) . uleb(1) . uleb(999999) . uleb(1) . uleb(6) }

# A file: version, then sections [type, flags, what, bytes]...
sub file {
    my ($name, $version, @section) = @_;
    my $at;
    ($bytes, $list) = ('', '');
    put('magic number of ExtBinary', "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53");
    put("version $version", uleb($version));
    put('number of sections', u64(scalar @section));
    $at = length($bytes) + 32 * @section;
    for (@section) {
        my ($type, $flags, $what, $b) = @$_;
        my $size = ref $b ? 0 : length $b;
        $size = length join '', map { $_->[1] } @$b if ref $b;
        put("type $type: $what", u64($type));
        put('flags', u64($flags));
        put('offset', u64($at));
        put('size', u64($size));
        $at += $size;
    }
    for (@section) {
        my ($type, $flags, $what, $b) = @$_;
        $list .= "      -- $what\n";
        if (ref $b) { put(@$_) for @$b } else { put('', $b) }
    }
    open my $f, '>:raw', "$dir/$name.prof" or die "$dir/$name.prof: $!\n";
    print $f $bytes;
    close $f;
    return if $name =~ /^bad/;
    open $f, '>', "$dir/$name.lst" or die "$dir/$name.lst: $!\n";
    print $f $list;
    close $f;
}

# ----- composite records, version 105 -----

my %plain = (bar => 0, foo => 1, main => 2);
my @names = (2, 0, 'names', [['number of names', uleb(3)], ['bar', "bar\0"], ['foo', "foo\0"], ['main', "main\0"]]);
sub names { [ @names ] }
sub block { my ($type, $payload) = @_; uleb($type) . uleb(length $payload) . $payload }

# main: head 9, 1: 40, 2: 20 with foo 20, and foo inlined at 3, whose block is of a type that is not known
my $main = uleb(9) . counts(\%plain, 60, [1, 0, 40], [2, 0, 20, 'foo', 20]);
my @composite = (
    ['main: name', uleb(2)], ['blocks', uleb(2)],
    ['type 9, not known: 3 bytes', block(9, "\xff\xff\xff")],
    ['type 0: head, total, body', block(0, $main)],
    ['inlinees', uleb(1)],
    ['line, discriminator', uleb(3) . uleb(0)], ['foo: name', uleb(1)], ['blocks', uleb(2)],
    ['type 0: total, body', block(0, counts(\%plain, 30, [1, 2, 30]))], ['type 300: none', block(300, '')],
    ['inlinees', uleb(0)],
    ['bar: name', uleb(0)], ['blocks: it has no counts', uleb(0)], ['inlinees', uleb(0)],
    ['foo: name', uleb(1)], ['blocks', uleb(1)], ['type 0: head, total, body', block(0, uleb(3) . counts(\%plain, 10, [1, 0, 10]))],
    ['inlinees', uleb(0)]);
my @head = ([1, 0, 'summary', summary()], names());
my $size = 0;
my @offset;
for (@composite) { push @offset, $size if $_->[0] =~ /^(main|bar|foo): name/; $size += length $_->[1] }
my @offsets = (['functions', uleb(3)], ['main', uleb(2) . uleb($offset[0])], ['bar', uleb(0) . uleb($offset[2])],
               ['foo', uleb(1) . uleb($offset[3])]);
file('composite', 105, @head, [7, 0, 'functions', \@offsets], [33, 0, 'composite records', \@composite]);

# Both kinds of records: counts add up.
file('both-kinds', 105, @head, [32, 0, 'records', uleb(1) . uleb(1) . counts(\%plain, 5, [1, 0, 5]) . uleb(0)],
     [33, 0, 'composite records', \@composite]);

# Blocks that are not known: in each place, in an order other than that of types, with payloads of any size. foo has one
# of type 5 in two sections.
my $large = pack 'C*', map { $_ * 7 & 255 } 1 .. 300;
my @blocks = (
    ['main: name', uleb(2)], ['blocks', uleb(4)], ['type 7', block(7, '')], ['type 2^40', block(1 << 40, 'abc')],
    ['type 0: head, total, body', block(0, $main)], ['type 6', block(6, $large)],
    ['inlinees', uleb(1)],
    ['line, discriminator', uleb(3) . uleb(0)], ['foo: name', uleb(1)], ['blocks', uleb(1)], ['type 6', block(6, "\0")],
    ['inlinees', uleb(1)],
    ['line, discriminator', uleb(1) . uleb(2)], ['bar: name', uleb(0)], ['blocks', uleb(1)], ['type 6', block(6, "\1")],
    ['inlinees', uleb(0)],
    ['bar: name', uleb(0)], ['blocks', uleb(1)], ['type 1', block(1, 'x')], ['inlinees', uleb(0)],
    ['foo: name', uleb(1)], ['blocks', uleb(1)], ['type 5', block(5, "\xff")], ['inlinees', uleb(0)]);
file('blocks', 105, @head, [33, 0, 'composite records', \@blocks],
     [33, 0, 'more composite records', [['foo: name', uleb(1)], ['blocks', uleb(1)], ['type 5', block(5, "\xfe")],
                                        ['inlinees', uleb(0)]]]);

# How its records are written: largest total first, known blocks first, then in the order of types, and one of a type.
file('blocks-written', 105, @head, [33, 0, 'composite records', [
    @blocks[0, 1, 4, 5, 2, 3, 6 .. $#blocks]]]);

# Blocks below contexts: main, main:3 @ foo, main:3 @ foo:1 @ bar.
my @contexts = (['contexts', uleb(3)], ['main', uleb(1) . uleb(2) . uleb(0) . uleb(0)],
                ['main:3 @ foo', uleb(2) . uleb(2) . uleb(3) . uleb(0) . uleb(1) . uleb(0) . uleb(0)],
                ['main:3 @ foo:1.2 @ bar', uleb(3) . uleb(2) . uleb(3) . uleb(0) . uleb(1) . uleb(1) . uleb(2) .
                                           uleb(0) . uleb(0) . uleb(0)]);
file('blocks-contexts', 105, [1, 2 << 32, 'summary', summary()], names(), [6, 0, 'contexts', \@contexts],
     [33, 0, 'composite records',
      [['main: context', uleb(0)], ['blocks', uleb(2)], ['type 0: head, total, body', block(0, $main)],
       ['type 8', block(8, 'main')], ['inlinees', uleb(0)],
       ['foo: context', uleb(1)], ['blocks', uleb(1)], ['type 8', block(8, 'foo')], ['inlinees', uleb(0)],
       ['bar: context', uleb(2)], ['blocks', uleb(1)], ['type 8', block(8, 'bar')], ['inlinees', uleb(0)]]]);

# Blocks may be wrong in these ways.
sub bad { my ($name, $records) = @_; file("bad-$name", 105, @head, [33, 0, 'composite records', $records]) }
bad('two-blocks', uleb(1) . uleb(2) . block(0, uleb(3) . counts(\%plain, 1)) . block(0, uleb(3) . counts(\%plain, 1)) . uleb(0));
bad('two-unknown', uleb(1) . uleb(2) . block(5, 'a') . block(5, 'b') . uleb(0));
bad('block-past-end', uleb(1) . uleb(1) . uleb(0) . uleb(50) . uleb(3) . counts(\%plain, 1) . uleb(0));
bad('unknown-past-end', uleb(1) . uleb(1) . uleb(8) . uleb(2) . uleb(0));
bad('block-rest', uleb(1) . uleb(1) . block(0, uleb(3) . counts(\%plain, 1) . 'x') . uleb(0));
bad('block-short', uleb(1) . uleb(1) . block(0, uleb(3)) . uleb(0));
bad('many-blocks', uleb(1) . uleb(1 << 40));
file('bad-composite-104', 104, @head, [33, 0, 'composite records', \@composite]);
file('bad-offsets-103', 103, @head, [7, 0, 'functions', \@offsets]);

# ----- indexed tables -----

my $md5 = (1 << 32) | (2 << 32) | (8 << 32);   # flags of a name table: GUIDs, 8 bytes each, indexed
# Normal layout: main and foo have records.
my @order = (tree('main', 'foo'), tree('qux', 'baz', 'bar'));
my %indexed = map { $order[$_] => $_ } 0 .. $#order;
my @table = (2, $md5, 'names', [['names of functions with records, of flat ones, others', uleb(2) . uleb(0) . uleb(3)],
                                map { [$_, guid($_)] } @order]);
my $r1 = uleb(9) . uleb($indexed{main}) . counts(\%indexed, 60, [1, 0, 40], [2, 0, 20, 'qux', 20]) . uleb(1) .
         uleb(3) . uleb(0) . uleb($indexed{bar}) . counts(\%indexed, 30, [1, 2, 30, 'baz', 7]) . uleb(0);
my $r2 = uleb(3) . uleb($indexed{foo}) . counts(\%indexed, 10, [1, 0, 10]) . uleb(0);
my @records = (['main, with bar inlined', $r1], ['foo', $r2]);
my @at = map { [$_, pack 'V', $_ eq 'main' ? 0 : length $r1] } @order[0, 1];
my @symbols = map { [$_, guid($_)] } tree('main', 'foo', 'bar', 'baz');
my $sum = [1, 0, 'summary', summary()];
file('indexed', 104, $sum, [@table], [4, 2 << 32, 'functions', \@at], [32, 0, 'records', \@records],
     [3, 1 << 32, 'symbols as GUIDs', \@symbols]);

# Split layout: main has an inlinee, foo is flat.
my @split = ('main', 'foo', tree('qux', 'baz', 'bar'));
my %split = map { $split[$_] => $_ } 0 .. $#split;
my $s1 = uleb(9) . uleb(0) . counts(\%split, 60, [1, 0, 40], [2, 0, 20, 'qux', 20]) . uleb(1) .
         uleb(3) . uleb(0) . uleb($split{bar}) . counts(\%split, 30, [1, 2, 30, 'baz', 7]) . uleb(0);
my $s2 = uleb(3) . uleb(1) . counts(\%split, 10, [1, 0, 10]) . uleb(0);
file('indexed-split', 104, $sum,
     [2, $md5, 'names', [['names', uleb(1) . uleb(1) . uleb(3)], map { [$_, guid($_)] } @split]],
     [4, 2 << 32, 'functions', [['main', pack('V', 0)]]], [32, 0, 'records', $s1],
     [4, 2 << 32 | 2, 'flat functions', [['foo', pack('V', 0)]]], [32, 2, 'flat records', $s2]);

# A key without a record.
file('indexed-hole', 104, $sum, [@table],
     [4, 2 << 32, 'functions', [map { [$_, pack 'V', $_ eq 'main' ? 0 : 0xffffffff] } @order[0, 1]]],
     [32, 0, 'records', [$records[0]]]);

file('bad-symbols', 104, $sum, [@table], [4, 2 << 32, 'functions', \@at], [32, 0, 'records', \@records],
     [3, 1 << 32, 'symbols as GUIDs', 'seven b']);
file('bad-offsets-size', 104, $sum, [@table], [4, 2 << 32, 'functions', 'eleven byte'], [32, 0, 'records', \@records]);
file('bad-offsets-unindexed', 104, $sum, [2, 3 << 32, 'names', uleb(1) . u64(1)], [4, 2 << 32, 'functions', 'four']);
file('bad-names-many', 104, $sum, [2, $md5, 'names', uleb(2) . uleb(1) . uleb(2) . u64(1) x 4]);
file('bad-names-rest', 104, $sum, [2, $md5, 'names', uleb(1) . uleb(1) . uleb(1) . u64(1) x 3 . 'x']);
file('bad-names-text', 104, $sum, [2, 8 << 32, 'names', uleb(0) . uleb(0) . uleb(1) . "a\0aaaaaaa"]);
