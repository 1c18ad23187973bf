# make_insn_flips.pl - makes data/insn/flips.txt: what llvm-objdump-19 says of x86-64 instructions and of what they
# become when one bit is flipped, for test_insn.c
#
#     perl make_insn_flips.pl > data/insn/flips.txt
#
# For each kind of prefix and each opcode map random instructions are drawn, and one in a few of those that LLVM knows
# is taken, each of another opcode. EVEX map 4, F8, is left out: behind 67 LLVM looks at nothing else in its prefix.
use strict;
use warnings;
use File::Temp qw(tempdir);

my $dir = tempdir(CLEANUP => 1);
my $flips = 56;                  # bits of the first bytes
srand 1;

# ask BYTES...: for each string of bytes the size of the first instruction, or minus what LLVM skips
sub ask
{
    open my $f, '>:raw', "$dir/code" or die;
    print $f $_, "\x90" x (32 - length $_) for @_;
    close $f or die;
    system("llvm-objcopy-19 -I binary -O elf64-x86-64 $dir/code $dir/code.o") == 0 or die;
    my @answer;
    open my $dump, '-|', "llvm-objdump-19 -D -z -j .data $dir/code.o" or die;
    while (<$dump>) {
        my ($at, $bytes, $text) = /^\s*([0-9a-f]+): ((?:[0-9a-f]{2}\s)+)\s*(\S+)/ or next;
        $at = hex $at;
        my $size = length($bytes) / 3;
        $answer[$at / 32] = $text eq '<unknown>' ? -$size : $size if $at % 32 == 0;
    }
    return @answer;
}

sub any { $_[rand @_] }
sub bits { int rand 1 << $_[0] }

# Random bytes behind a prefix: ModRM, often with SIB, and displacement and immediate.
sub operands { pack 'C*', any(bits(8), bits(3) << 3 | 4, bits(2) << 6 | bits(3) << 3 | 5, 0xc0 | bits(6)),
    any(bits(8), bits(5) << 3 | 5), map { bits(8) } 1 .. 10 }
sub legacy { any('', '', "\x66", "\x67", "\x66\x67") }

my %kind = (
    legacy => sub { my ($map, $op) = @_; legacy() . any('', "\xf2", "\xf3") . any('', pack 'C', 0x40 | bits(4)) .
        ('', "\x0f", "\x0f\x38", "\x0f\x3a")[$map] . chr $op },
    rex2 => sub { my ($map, $op) = @_; any('', "\x66", "\xf3") . pack 'C3', 0xd5, $map << 7 | bits(7), $op },
    vex2 => sub { my ($map, $op) = @_; legacy() . pack 'C3', 0xc5, bits(8) | any(0, 0x78), $op },
    vex3 => sub { my ($map, $op) = @_; legacy() . pack 'C4', 0xc4, bits(3) << 5 | $map, bits(8) | any(0, 0x78), $op },
    xop => sub { my ($map, $op) = @_; legacy() . pack 'C4', 0x8f, bits(3) << 5 | $map, bits(8) & ~3 | any(0, 0x78), $op },
    evex => sub { my ($map, $op) = @_; legacy() . pack 'C5', 0x62, bits(5) << 3 | $map, bits(8) | 4 | any(0, 0x78),
        bits(8) & any(0xff, 0x7f, 0x78, 0x68) | any(0, 8), $op },
);
# kind, map, one in how many opcodes
my @family = (['legacy', 0, 8], ['legacy', 1, 4], ['legacy', 2, 4], ['legacy', 3, 4], ['rex2', 0, 8], ['rex2', 1, 8],
    ['vex2', 1, 8], ['vex3', 1, 4], ['vex3', 2, 4], ['vex3', 3, 4], ['xop', 8, 4], ['xop', 9, 4], ['xop', 10, 1],
    ['evex', 1, 3], ['evex', 2, 3], ['evex', 3, 3], ['evex', 4, 1], ['evex', 5, 4], ['evex', 6, 4]);
my @base;
for my $f (@family) {
    my ($kind, $map, $one_in) = @$f;
    my @drawn = map { my $op = $_; map { [$op, $kind{$kind}->($map, $op) . operands()] } 1 .. 60 } grep { "$kind $map $_" ne 'evex 4 248' } 0 .. 255;
    my @size = ask(map { $_->[1] } @drawn);
    my (%seen, @valid);
    for my $i (grep { $size[$_] > 2 } 0 .. $#drawn) {
        my ($op, $bytes) = @{$drawn[$i]};
        push @valid, substr $bytes, 0, $size[$i] unless $seen{$op}++;
    }
    push @base, map { $valid[$one_in * $_] } 0 .. $#valid / $one_in;
}

print <<"END";
# What llvm-objdump-19 says of x86-64 code, by make_insn_flips.pl: the bytes of an instruction, behind which stand 90s;
# then for it and for each of its first $flips bits flipped (bit 0 is the lowest of the first byte) the size of the first
# instruction, 1 to f, or how much is skipped where there is none, A for 1 on.
END
my @ask;
for my $bytes (@base) {
    push @ask, $bytes;
    for my $bit (0 .. $flips - 1) {
        push @ask, $bytes . "\x90" x 8;
        vec($ask[-1], $bit, 1) ^= 1;
    }
}
my @size = ask(@ask);
for my $bytes (@base) {
    my @answer = splice @size, 0, $flips + 1;
    print unpack('H*', $bytes), ' ', (map { $_ > 0 ? sprintf '%x', $_ : chr(ord('A') - 1 - $_) } @answer), "\n";
}
