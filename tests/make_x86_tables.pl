# make_x86_tables.pl - makes the tables of x86-64 opcodes in csspgo.h by asking LLVM's disassembler about each opcode
#
#     perl make_x86_tables.pl                       prints the tables
#     perl make_x86_tables.pl check FILE            compares them with those in FILE (csspgo.h); exit status 1: differ
#     perl make_x86_tables.pl check FILE N I        only one opcode in N, the I-th
#     perl make_x86_tables.pl write FILE            puts them into FILE
#     perl make_x86_tables.pl units FILE            checks the opcodes in examples/tool/record/ahead_insn.c
#
# LLVM_MC names the disassembler, otherwise it is llvm-mc-19. For another LLVM: write with LLVM_MC=llvm-mc-20, look at
# the difference, say the version in the comment above the tables, run OBJDUMP=llvm-objdump-20 FULL=1 oracle_insn.sh.
# The decoder has rules beside the tables. What breaks these, or what no class or form can say, is printed ("opcode
# ..."), or found by oracle_insn.sh; then the decoder needs a new class or rule. All are 3.5 million questions, 30 s.
#
# What is asked. A question is a string of bytes; the answer is the instruction that LLVM sees first in it, or nothing.
#   Legacy opcodes of maps 1 to 4, under each mandatory prefix: alone, with memory operands by ModRM.reg value, with
#   all 64 pairs of registers; how long they are, also with prefixes 66, 67 and REX.W; their names, if they may jump.
#   VEX, XOP and EVEX opcodes of each map, under each prefix and W: vector length, EVEX.b, with a mask register and
#   without, memory and registers by ModRM.reg value. Of each of these that is an instruction: zeroing, vvvv, register
#   numbers, other operands, length.
#
# What no answer decides is chosen here:
#   - a letter is a group's if no other one says it all; a group's rows are in the order of their lowest prefix
#   - neighbouring opcodes of the same forms share their rows; the forms that most rows have come first, then by number
#   - where one kind of operand does not exist, zeroing counts as with the other; where EVEX.b does not, vvvv does so
#   - a no-flags bit outside EVEX map 4 is one of the mask register's: it exists if an opcode without mask takes it
use strict;
use warnings;
no warnings 'portable';
use File::Temp qw(tempdir);

my $mc = $ENV{LLVM_MC} // 'llvm-mc-19';
my $dir = tempdir(CLEANUP => 1);
my $bad = 0;

sub complain { print STDERR "@_\n"; $bad = 1; }

# ----- questions ------------------------------------------------------------------------------------------------------

my $END = '106 85';          # push 85: in no question, as all of them are filled up with 0x90
my $PADS = ' 144' x 9;

# The first instruction of each string of bytes (decimal numbers), '' for none.
sub ask
{
    my ($questions) = @_;
    return [] if !@$questions;
    open my $f, '>', "$dir/in" or die;
    print $f "[$_]\n[$END]\n" for @$questions;
    close $f or die;
    my $out = `$mc --disassemble --triple=x86_64 --output-asm-variant=1 $dir/in 2>/dev/null`;
    my @answers = split /^\tpush\t85\n/m, $out, -1;
    die "$mc answers $#answers of " . @$questions . " questions\n" if $#answers != @$questions;
    $answers[0] =~ s/^\t\.text\n//;
    return [map { /^\t([^\n]*)/ ? $1 : '' } @answers[0 .. $#answers - 1]];
}

# How many of the bytes in tail make an instruction with head: one of counts, or -1. Asks for all [head, tail] at once.
sub lengths
{
    my ($pairs, @counts) = @_;
    my @questions;
    for my $pair (@$pairs) {
        my ($head, @tail) = ($$pair[0], split / /, $$pair[1]);
        push @questions, join ' ', $head, @tail[0 .. $_ - 1] for @counts;
    }
    my $answers = ask(\@questions);
    my @lengths;
    for my $i (0 .. $#$pairs) {
        my ($n) = grep { $$answers[@counts * $i + $_] ne '' } 0 .. $#counts;
        push @lengths, defined $n ? $counts[$n] : -1;
    }
    return \@lengths;
}

# ----- legacy opcodes -------------------------------------------------------------------------------------------------

my @ESCAPE = ('', '', '15 ', '15 56 ', '15 58 ');
# None, 66, F3, F2; 66 with F3 or F2, neither of them right before 0F. In map 1 they do not belong to the opcode.
my @MANDATORY = ('', '102 ', '243 ', '242 ', '102 243 46 ', '102 242 46 ');
# What leads to other opcodes, by map. Behind REX it does not, and rex64 (48) is an instruction there.
my %LEADS = (1 => { map { $_ => 1 } 0x0f, 0x40 .. 0x4f, 0x62, 0xc4, 0xc5, 0xd5 },
             2 => { map { $_ => 1 } 0x0f, 0x38, 0x3a }, 3 => {}, 4 => {});
# ModRM bytes: 0 to 63 register operands, 64 to 71 memory.
my @MODRM = ((map { 0xc0 | $_ } 0 .. 63), map { $_ << 3 } 0 .. 7);

# Classes of opcodes without ModRM, by the size of the immediate: plain, with 66, with REX.W, with 67.
my @VARIED = ('', '102 ', '72 ', '103 ');
my %BY_SIZES = ('1 1 1 1' => 'b', '2 2 2 2' => 'w', '3 3 3 3' => 'e', '4 4 4 4' => 'd', '4 2 4 4' => 'z',
                '4 2 8 4' => 'v', '8 8 8 4' => 'o');
# And their classes if they transfer control.
my %TRANSFER = (b => { cond => 'c', jmp => 'j' }, z => { cond => 'y', jmp => 'J' }, d => { call => 'C' },
                n => { ret => 't' }, w => { ret => 'T' });

# Classes of opcodes with ModRM in map 1 by operands that exist (R registers, M memory) and size of the immediate, plain
# and with 66; in the other maps by operands under no prefix, 66, F3 and F2, and size.
my %BY_OPERANDS = (
    'MR 0 0' => 'm', 'MR 1 1' => 'B', 'MR 4 2' => 'Z', 'R 0 0' => 'r', 'R 1 1' => 'R', 'M 0 0' => 'k',
    'MR MR MR MR 0' => 'm', 'MR MR MR MR 1' => 'B', 'R R R R 0' => 'r', 'R R R R 1' => 'R', 'M M M M 0' => 'k',
    ' MR   0' => 'p', ' MR   1' => 'P', ' M   0' => 'q', ' MR  MR 0' => 'h', 'MR MR MR MR varies' => 'x');

sub transfer_of
{
    my ($name) = @_;
    return $name =~ /^jmp\b/ ? 'jmp' : $name =~ /^(j|loop)/ ? 'cond' : $name =~ /^call/ ? 'call' :
           $name =~ /^(ret|iret)/ ? 'ret' : undef;
}

# What is asked of an opcode first: alone, then with each ModRM byte, under each mandatory prefix.
sub legacy_questions
{
    my ($o) = @_;
    return map { my $head = "$MANDATORY[$_]$$o{head}"; ($head, map { "$head $_$PADS" } @MODRM) } @{$$o{pp}};
}

# Keeps the answers, by prefix: the name alone, the sets of memory and register operands, one name.
sub legacy_answers
{
    my ($o, $answers) = @_;
    for my $pp (@{$$o{pp}}) {
        my ($alone, @is) = splice @$answers, 0, 73;
        # 8F with another ModRM.reg value is XOP
        @is = map { $MODRM[$_] & 0x38 ? '' : $is[$_] } 0 .. 71 if $$o{op} == 0x18f;
        $$o{alone}[$pp] = $alone;
        $$o{reg}[$pp] = $$o{mem}[$pp] = 0;
        for (grep { $is[$_] ne '' } 0 .. 71) {
            if ($_ < 64) { $$o{reg}[$pp] |= 1 << $_; } else { $$o{mem}[$pp] |= 1 << ($_ - 64); }
            $$o{name}[$pp] //= $is[$_];
            push @{$$o{valid}}, [$pp, $MODRM[$_]];
        }
    }
    $$o{any_alone} = grep { $_ ne '' } @{$$o{alone}};
}

# The lengths to ask for: to see a displacement, to tell immediates without ModRM, and those with ModRM: of one ModRM
# byte of each ModRM.reg value and kind of operand.
sub legacy_lengths
{
    my ($o) = @_;
    return if $$o{any_alone} || !$$o{valid};
    my $p = $MANDATORY[$$o{valid}[0][0]];
    my @pairs = (["$p$$o{head}", "0$PADS"], ["$p$$o{head}", "64$PADS"], map { ["$_$$o{head}", "144$PADS"] } @VARIED);
    my %seen;
    for (@{$$o{valid}}) {
        my ($pp, $modrm) = @$_;
        next if $seen{join ' ', $pp, $modrm >> 6, $modrm >> 3 & 7}++;
        push @pairs, ["$MANDATORY[$pp]$$o{head}", "$modrm$PADS"];
        push @pairs, ["102 $$o{head}", "$modrm$PADS"] if $$o{map} == 1;
        push @{$$o{sized}}, $modrm;
    }
    return @pairs;
}

sub class_alone
{
    my ($o) = @_;
    my $valid = join '', map { $_ ne '' ? 1 : 0 } @{$$o{alone}};
    my $transfer = transfer_of($$o{alone}[0]);
    return 'i' if $valid eq '101000';
    complain("$$o{where}: depends on the prefix") if $$o{map} > 1 && $valid ne '111100';
    return defined $transfer ? $TRANSFER{n}{$transfer} : 'n';
}

sub class_without_modrm
{
    my ($o, @sizes) = @_;
    my $class = $BY_SIZES{"@sizes"};
    my ($name) = grep { defined } @{$$o{name}};
    my $transfer = transfer_of($name);
    $class = $TRANSFER{$class}{$transfer} if defined $class && defined $transfer;
    complain("$$o{where}: no class for $name with immediates of @sizes") if !defined $class;
    return $class // '.';
}

# sizes: of immediates as they were asked for.
sub class_with_modrm
{
    my ($o, @sizes) = @_;
    my @operands = map { ($$o{mem}[$_] == 0xff ? 'M' : $$o{mem}[$_] ? '?' : '') .
                         ($$o{reg}[$_] == ~0 ? 'R' : $$o{reg}[$_] ? '?' : '') } @{$$o{pp}};
    # 66 beside F3 and F2: of tzcnt and lzcnt the decoder knows it
    my $beside = join '', splice @operands, 4;
    my $plain = $beside eq '' || (($$o{op} & ~1) == 0x2bc && $beside eq 'MR');
    @sizes = map { "$sizes[2 * $_] $sizes[2 * $_ + 1]" } 0 .. $#sizes >> 1 if $$o{map} == 1;
    my %sizes = map { $_ => 1 } @sizes;
    my $size = keys %sizes == 1 ? $sizes[0] : 'varies';
    my $class = $BY_OPERANDS{"@operands $size"};
    return $class if $plain && defined $class;
    return 'g' if $size =~ /^0/;
    return 'G' if $size =~ /^1/;
    return 'H' if $size eq '4 2';
    my @off = grep { $sizes[$_] ne ($$o{sized}[$_] & 0x38 ? '0 0' : $$o{op} == 0x1f6 ? '1 1' : '4 2') } 0 .. $#sizes;
    return 'F' if ($$o{op} & ~1) == 0x1f6 && !@off;
    complain("$$o{where}: no class for operands @operands, immediates $size");
    return '.';
}

# The class of an opcode; takes its lengths off the list.
sub class_of
{
    my ($o, $lengths) = @_;
    return class_alone($o) if $$o{any_alone};
    return '.' if !$$o{valid};
    my ($at_0, $at_64, @sizes) = splice @$lengths, 0, 2 + @VARIED;
    my @with = splice @$lengths, 0, @{$$o{sized}} * ($$o{map} == 1 ? 2 : 1);
    my $all = !grep { ($$o{mem}[$_] || $$o{reg}[$_]) && ($$o{mem}[$_] != 0xff || $$o{reg}[$_] != ~0) } @{$$o{pp}};
    return class_without_modrm($o, @sizes) if $all && $at_0 == $at_64;
    return class_with_modrm($o, map { $_ - 1 } @with);
}

# Rows of a group [opcode, set of prefixes, mem, reg, name of an instruction].
sub group_rows
{
    my ($o) = @_;
    my (%rows, @rows);
    $rows{"$$o{mem}[$_] $$o{reg}[$_]"} |= 1 << $_ for grep { defined $$o{name}[$_] } @{$$o{pp}};
    for my $row (sort { ($rows{$a} & -$rows{$a}) <=> ($rows{$b} & -$rows{$b}) } keys %rows) {
        my ($first) = grep { $rows{$row} >> $_ & 1 } @{$$o{pp}};
        push @rows, [$$o{op}, $rows{$row}, split(/ /, $row), $$o{name}[$first] =~ s/\s.*//r];
    }
    return @rows;
}

# Classes {map}[opcode], rows of groups.
sub legacy
{
    my ($ops) = @_;
    my (@opcodes, %class, @groups);
    for my $map (1 .. 4) {
        push @opcodes, map { { map => $map, op => $map << 8 | $_, head => "$ESCAPE[$map]$_",
                               where => sprintf('opcode %x of map %d', $_, $map),
                               pp => $map == 1 ? [0] : [0 .. 5] } } @$ops;
    }
    my ($leads, $others) = ([], []);
    push @{$LEADS{$$_{map}}{$$_{op} & 255} ? $leads : $others}, $_ for @opcodes;
    my $answers = ask([map { $$_{map} == 1 ? "64 $$_{head}" : $$_{head} } @$leads]);
    $class{$$leads[$_]{map}}[$$leads[$_]{op} & 255] = $$answers[$_] ne '' ? 'n' : '.' for 0 .. $#$leads;
    $answers = ask([map { legacy_questions($_) } @$others]);
    legacy_answers($_, $answers) for @$others;
    my $lengths = lengths([map { legacy_lengths($_) } @$others], 1 .. 6, 8);
    for my $o (@$others) {
        my $class = class_of($o, $lengths);
        $class{$$o{map}}[$$o{op} & 255] = $class;
        push @groups, group_rows($o) if $class =~ /[gGHF]/;
    }
    return (\%class, \@groups);
}

# Opcodes of 3DNow!, which stand behind the operands of 0F 0F.
sub ops_3dnow
{
    my ($ops) = @_;
    my $answers = ask([map { "15 15 192 $_" } @$ops]);
    return map { $$ops[$_] } grep { $$answers[$_] ne '' } 0 .. $#$ops;
}

# ----- vector opcodes -------------------------------------------------------------------------------------------------

# Tables of rows by number: 0 to 7 VEX maps, 8 to 10 XOP maps, 16 + EVEX map, 24 + EVEX map with the no-flags bit set.
my @VECTOR = (1 .. 3, 5 .. 10, 17 .. 23, 25 .. 31);
my %NAME = (1 => 'VEX map 1 (0F)', 2 => 'VEX map 2 (0F38)', 3 => 'VEX map 3 (0F3A)', 17 => 'EVEX map 1 (0F)',
            18 => 'EVEX map 2 (0F38)', 19 => 'EVEX map 3 (0F3A)', 20 => 'EVEX map 4 (APX)');
$NAME{$_} //= $_ < 8 ? "VEX map $_" : $_ < 16 ? "XOP map $_" : $_ < 24 ? 'EVEX map ' . ($_ - 16) :
              'EVEX map ' . ($_ - 24) . ', no flags' for @VECTOR;

# The bytes before the opcode. ppw: prefix * 2 + W; then vector length, EVEX.b, mask register, zeroing, vvvv, extensions
# of ModRM.reg (1 R, 2 R') and of ModRM.rm.
sub prefix
{
    my ($table, $ppw, $l, $b, $k, $z, $vvvv, $reg, $rm) = @_;
    my $p = (~$reg & 1) << 7 | 1 << 6 | (~$rm & 1) << 5;
    my $q = ($ppw & 1) << 7 | (~$vvvv & 15) << 3 | $ppw >> 1;
    return sprintf '%d %d %d', $table < 8 ? 196 : 143, $p | $table, $q | $l << 2 if $table < 16;
    return sprintf '98 %d %d %d', $p | (~$reg & 2) << 3 | ($table & 7), $q | 4,
                   $z << 7 | $l << 5 | $b << 4 | (~$vvvv & 16) >> 1 | ($table > 23 ? 4 : 0) | $k;
}

# Operands: cell 0 to 7 registers, 8 to 15 memory, of each ModRM.reg value. Memory has a SIB byte, as some opcodes need.
my @CELLS = map { $_ < 8 ? 0xc0 | $_ << 3 : (($_ & 7) << 3 | 4) . ' 8' } 0 .. 15;

# 0 for ccmp and ctest, whose no-flags bit belongs to the condition, in the table of that bit. The decoder has rules of
# its own for these, and for the opcodes outside map 4 that have the bit.
sub has_table
{
    my ($table, $op, $ppw, $digit, $name) = @_;
    my $where = sprintf 'opcode %02x of %s', $op, $NAME{$table};
    my $is_ccmp = $name =~ /^(ccmp|ctest)/ ? 1 : 0;
    if (($table & 7) == 4) {
        my $op2 = $op & 0xfe;
        my $known = $op2 == 0x38 || $op2 == 0x3a || $op2 == 0x84 || (($op2 == 0x80 || $op == 0x83) && $digit == 7) ||
                    ($op2 == 0xf6 && $digit < 2) ? 1 : 0;
        complain("$where: csspgo__x86_is_ccmp is wrong about $name") if $known != $is_ccmp;
    } elsif ($table > 23 && ($table != 26 || $ppw > 1 || !grep { $_ == $op } 0xf2, 0xf3, 0xf5, 0xf7)) {
        complain("$where: csspgo__x86_has_no_flags is wrong about $name");
    }
    return $table < 24 || !$is_ccmp;
}

# Which combinations of a table are instructions: {op}{ppw}[cell]{'length EVEX.b mask'}. may_be(op, ppw): 0 for none.
sub sweep
{
    my ($table, $ops, $may_be) = @_;
    my $evex = $table > 15;
    my @combos;
    for my $k (0 .. ($evex && ($table & 7) != 4 ? 1 : 0)) {
        for my $b (0 .. $evex) { push @combos, [$_, $b, $k] for 0 .. ($evex ? 2 : 1); }
    }
    my (%found, @questions, @what);
    for my $ppw (0 .. 7) {
        my @prefixes = map { prefix($table, $ppw, @$_, 0, 0, 0, 0) } @combos;
        for my $op (grep { &$may_be($_, $ppw) } @$ops) {
            push @what, [$op, $ppw];
            for my $cell (@CELLS) { push @questions, "$_ $op $cell 144 144 144 144" for @prefixes; }
        }
    }
    my $answers = ask(\@questions);
    my $at = 0;
    for (@what) {
        my ($op, $ppw) = @$_;
        my @cells;
        for my $cell (0 .. 15) {
            for my $combo (@combos) {
                my $answer = $$answers[$at++];
                next if $answer eq '' || !has_table($table, $op, $ppw, $cell & 7, $answer);
                $cells[$cell]{join ' ', @$combo} = 1;
            }
        }
        $found{$op}{$ppw} = \@cells if @cells;
    }
    return \%found;
}

# What is asked of a cell that has instructions, by name: vvvv of 1, 8 and 16 (v1, v8, v16), and with EVEX.b (vb1, vb8);
# R, R' and B of register numbers (r, r2, b); another register or memory without SIB (rm); no ModRM at all (none);
# zeroing (z); immediates of 0, 1 and 2 bytes (imm0, imm1, imm2).
sub further
{
    my ($table, $op, $ppw, $cell, $combos) = @_;
    my ($first) = sort { substr($a, 2, 1) <=> substr($b, 2, 1) || $a cmp $b } keys %$combos;
    my ($l, $b, $k) = split / /, $first;
    my ($with_b) = grep { substr($_, 2, 1) } sort keys %$combos;
    my ($masked) = grep { substr($_, 4, 1) } sort keys %$combos;
    my ($zl, $zb, $zk) = defined $masked ? split / /, $masked : ($l, $b, $k);
    my $body = "$op $CELLS[$cell]";
    my $pads = ' 144 144 144 144';
    my $other = $cell < 8 ? "$op " . ($CELLS[$cell] | 1) : "$op " . ($CELLS[$cell & 7] & 0x38);
    my $head = sub { prefix($table, $ppw, $l, $b, $k, 0, @_) };
    my %ask = (v1 => &$head(1, 0, 0) . " $body$pads", v8 => &$head(8, 0, 0) . " $body$pads",
               r => &$head(0, 1, 0) . " $body$pads", b => &$head(0, 0, 1) . " $body$pads",
               rm => &$head(0, 0, 0) . " $other$pads", none => &$head(0, 0, 0) . " $op");
    $ask{"imm$_"} = &$head(0, 0, 0) . " $body" . ' 144' x $_ for 0 .. 2;
    return \%ask if $table < 16;
    $ask{v16} = &$head(16, 0, 0) . " $body$pads";
    $ask{r2} = &$head(0, 2, 0) . " $body$pads";
    $ask{z} = prefix($table, $ppw, $zl, $zb, $zk, 1, 0, 0, 0) . " $body$pads";
    for (defined $with_b ? (1, 8) : ()) {
        $ask{"vb$_"} = prefix($table, $ppw, (split / /, $with_b), 0, $_, 0, 0) . " $body$pads";
    }
    return \%ask;
}

# The rules of a cell that its answers make: see the comment above csspgo__x86_forms.
sub rules
{
    my ($where, $cell, $combos, $is) = @_;
    my (@l, @k);
    for (keys %$combos) {
        my ($l, $b, $k) = split / /;
        $l[$b] |= 1 << $l;
        $k[$k] = 1;
    }
    my $k = ($k[0] ? 1 : 0) | ($k[1] ? 2 : 0);
    my ($plain, $with_b) = ($l[0] // 0, $l[1] // 0);
    my $combinations = 0;
    $combinations += $_ & 1 for map { ($_, $_ >> 1, $_ >> 2) } $plain, $with_b;
    complain("$where: mask registers depend on lengths") if $combinations * ($k == 3 ? 2 : 1) != keys %$combos;
    my $length = $plain || $with_b;
    my $b = 0;
    if ($with_b) {
        $b = $cell > 7 ? 1 : $with_b == 7 ? 2 : 4;
        complain("$where: lengths with EVEX.b") if $b != 2 && $with_b != $length;
    }
    my $used = ($$is{v1} && $plain ? 1 : 0) | ($with_b ? $$is{vb1} : $$is{v1}) << 1;
    my $above_7 = $used & 1 ? $$is{v8} : $$is{vb8};
    my $index = $$is{v16} && !$$is{v1} && !$$is{vb1} ? 8 : 0;
    my $none = $$is{none} ? 4 : 0;
    return {
        length => $length, b => $b, k => $k, z => $$is{z} ? $cell > 7 ? 1 : 2 : 0, vvvv => $used, index => $index,
        imm => $$is{imm0} ? 0 : $$is{imm1} ? 1 : $$is{imm2} ? 2 : 3,
        operand => $none | (!$none && !$$is{rm} ? $cell > 7 ? 1 : 2 : 0) | ($plain ? 0 : 8),
        limits => (!$$is{r} ? exists $$is{r2} && !$$is{r2} ? 8 : 1 : 0) | ($cell < 8 && !$none && !$$is{b} ? 2 : 0) |
                  ($used && !$above_7 ? 4 : 0),
    };
}

my @RULES = qw(length b k z vvvv index imm operand limits);

# Two sets of cells, one of memory and one of registers, as one form; undef if they do not go together.
sub join_rules
{
    my ($m, $r) = @_;
    return undef if grep { $$m{$_} != $$r{$_} } qw(length k index imm);
    return undef if ($$m{operand} ^ $$r{operand}) & 12 || ($$m{limits} ^ $$r{limits}) & 13;
    my %both = %$m;
    $both{$_} |= $$r{$_} for qw(b z operand limits);
    if ($$m{vvvv} != $$r{vvvv}) {
        return undef if $$m{vvvv} != 0;
        $both{vvvv} = $$r{vvvv} | 4;
    }
    return \%both;
}

# The number in csspgo__x86_forms. Zeroing without one kind of operand counts as with the other.
sub form_number
{
    my ($f) = @_;
    my %f = %$f;
    $f{z} = $f{z} ? 3 : 0 if !($f{cells} & 0xff) || !($f{cells} & 0xff00);
    return $f{length} << 44 | $f{b} << 40 | $f{k} << 36 | $f{z} << 32 | ($f{vvvv} | $f{index}) << 28 | $f{imm} << 24 |
           $f{operand} << 20 | $f{limits} << 16 | $f{cells};
}

# The forms of one opcode with one prefix, from the rules of its cells.
sub forms
{
    my ($rules) = @_;
    my (%groups, @forms);
    for my $cell (0 .. 15) {
        my $r = $$rules[$cell] or next;
        my $key = ($cell > 7 ? "m" : "r") . join ' ', @$r{@RULES};
        $groups{$key} //= { %$r, cells => 0 };
        $groups{$key}{cells} |= 1 << $cell;
    }
    my @m = map { $groups{$_} } grep { /^m/ } sort keys %groups;
    my @r = map { $groups{$_} } grep { /^r/ } sort keys %groups;
    for my $m (@m) {
        my ($both, @left);
        # those for the same ModRM.reg values first
        for my $r (sort { (($$b{cells} << 8) == $$m{cells}) <=> (($$a{cells} << 8) == $$m{cells}) } @r) {
            my $joined = defined $both ? undef : join_rules($m, $r);
            if (defined $joined) {
                $both = { %$joined, cells => $$m{cells} | $$r{cells} };
            } else {
                push @left, $r;
            }
        }
        push @forms, $both // $m;
        @r = @left;
    }
    return map { form_number($_) } @forms, @r;
}

# What sweep found, by table.
my %found;

# Besides map 4 the no-flags bit is one of the mask register's number: it is there if opcodes without mask take it.
sub has_no_flags
{
    my ($table, $op, $ppw) = @_;
    my $cells = $found{$table - 8}{$op}{$ppw};
    return $cells && !grep { / 1$/ } map { keys %{$_ // {}} } @$cells;
}

# Asks further about all cells: {op}{ppw}[cell]{name} = 0 or 1.
sub ask_further
{
    my ($table, $found) = @_;
    my (@questions, @what, %is);
    for my $op (keys %$found) {
        for my $ppw (keys %{$$found{$op}}) {
            my $cells = $$found{$op}{$ppw};
            for my $cell (grep { $$cells[$_] } 0 .. 15) {
                my $ask = further($table, $op, $ppw, $cell, $$cells[$cell]);
                push @questions, values %$ask;
                push @what, map { [$op, $ppw, $cell, $_] } keys %$ask;
            }
        }
    }
    my $answers = ask(\@questions);
    for my $i (0 .. $#what) {
        my ($op, $ppw, $cell, $name) = @{$what[$i]};
        $is{$op}{$ppw}[$cell]{$name} = $$answers[$i] ne '' ? 1 : 0;
    }
    return \%is;
}

# Rows [first opcode, last, set of prefixes, form] of a table.
sub vector_rows
{
    my ($table, $ops) = @_;
    my $found = sweep($table, $ops, $table < 24 || $table == 28 ? sub { 1 } : sub { has_no_flags($table, @_) });
    my $is = ask_further($table, $found);
    my (@rows, $last);
    $found{$table} = $found;
    for my $op (@$ops) {
        my %sets;
        for my $ppw (sort keys %{$$found{$op} // {}}) {
            my @rules;
            for my $cell (grep { $$is{$op}{$ppw}[$_] } 0 .. 15) {
                my $where = sprintf 'opcode %02x of %s, prefix %d', $op, $NAME{$table}, $ppw;
                $rules[$cell] = rules($where, $cell, $$found{$op}{$ppw}[$cell], $$is{$op}{$ppw}[$cell]);
            }
            $sets{$_} |= 1 << $ppw for forms(\@rules);
        }
        my @new = map { [$op, $op, $sets{$_}, $_] } sort { $a <=> $b } keys %sets;
        my $same = join ' ', map { "$$_[2] $$_[3]" } @new;
        if (defined $last && $last eq $same && @new && $rows[-1][1] == $op - 1) {
            $rows[-$_][1] = $op for 1 .. @new;
        } else {
            push @rows, @new;
        }
        $last = $same;
    }
    return \@rows;
}

# ----- text -----------------------------------------------------------------------------------------------------------

# n items a line, lines indented.
sub wrap
{
    my ($indent, $n, $between, @items) = @_;
    my @lines;
    push @lines, $indent . join $between eq '' ? ' ' : ', ', splice @items, 0, $n while @items;
    return join "$between\n", @lines;
}

sub text_of_classes
{
    my ($class) = @_;
    my @maps;
    for my $map (1 .. 4) {
        my $all = join '', map { $_ // ' ' } @{$$class{$map}}[0 .. 255];
        push @maps, wrap('    ', 4, '', map { '"' . substr($all, 16 * $_, 16) . '"' } 0 .. 15);
    }
    return "static const char csspgo__x86_classes[4][257] = {\n" . join(",\n", @maps) . "\n};\n";
}

# Two rows a line, and an instruction of each.
sub text_of_groups
{
    my @groups = @_;
    my $text = "static const csspgo__x86_group csspgo__x86_groups[] = {\n";
    while (my @line = splice @groups, 0, 2) {
        my $rows = join ', ', map { sprintf '{0x%03x, 0x%02x, 0x%02x, 0x%016xu}', @$_[0 .. 3] } @line;
        $text .= sprintf "    %-86s /* %s */\n", $rows . (@groups ? ',' : ''), join ', ', map { $$_[4] } @line;
    }
    return "$text};\n";
}

# Forms, rows and first rows.
sub texts_of_rows
{
    my ($rows) = @_;
    my (%uses, @texts, @first, %number);
    for (map { @$_ } values %$rows) { $uses{$$_[3]}++; }
    my @forms = sort { $uses{$b} <=> $uses{$a} || $a <=> $b } keys %uses;
    complain('more than 256 forms: the rows have 8 bits for them') if @forms > 256;
    @number{@forms} = 0 .. $#forms;
    push @texts, sprintf("static const uint64_t csspgo__x86_forms[%d] = {\n", scalar @forms) .
                 wrap('    ', 6, ',', map { sprintf '0x%012xu', $_ } @forms) . "\n};\n";
    my ($count, @blocks) = (0);
    for my $table (0 .. 31) {
        push @first, $count;
        my @of = sort map { sprintf '0x%02x%02x%02x%02x', @$_[0 .. 2], $number{$$_[3]} } @{$$rows{$table} // []};
        next if !@of;
        $count += @of;
        push @blocks, "    /* $NAME{$table} */\n" . wrap('    ', 9, ',', @of);
    }
    push @texts, "static const uint32_t csspgo__x86_rows[$count] = {\n" . join(",\n", @blocks) . "\n};\n";
    return (@texts, "static const uint16_t csspgo__x86_tables[33] = {\n" . wrap('    ', 16, ',', @first, $count) .
                    "\n};\n");
}

sub text_of_3dnow
{
    my @ops = map { sprintf '0x%02x', $_ } @_;
    return "    static const unsigned char ops_3dnow[] = {\n" . wrap(' ' x 8, 12, ',', @ops) . "\n    };\n";
}

# ----- what to do -----------------------------------------------------------------------------------------------------

# The tables in the order of texts.
my @TABLES = map { qr/^$_ = \{\n.*?^ *\};\n/ms }
    'static const char csspgo__x86_classes\[4\]\[257\]', 'static const csspgo__x86_group csspgo__x86_groups\[\]',
    'static const uint64_t csspgo__x86_forms\[\d+\]', 'static const uint32_t csspgo__x86_rows\[\d+\]',
    'static const uint16_t csspgo__x86_tables\[33\]', '    static const unsigned char ops_3dnow\[\]';

# The texts of all tables.
sub make
{
    my ($ops) = @_;
    my ($class, $groups) = legacy($ops);
    my %rows = map { $_ => vector_rows($_, $ops) } @VECTOR;
    return (text_of_classes($class), text_of_groups(@$groups), texts_of_rows(\%rows), text_of_3dnow(ops_3dnow($ops)));
}

# The numbers of a table's text without its first line.
sub numbers
{
    my ($text) = @_;
    $text =~ s/^.*\n//;
    $text =~ s/\/\*.*?\*\///g;
    return map { /x/ ? hex : $_ } $text =~ /\b(0x[0-9a-f]+|\d+)/g;
}

# What texts of tables say of the opcodes, a line each.
sub facts
{
    my ($ops, @texts) = @_;
    my %asked = map { $_ => 1 } @$ops;
    my $classes = join '', $texts[0] =~ /"([^"]*)"/g;
    my ($groups, $forms, $rows, $firsts, $ops_3dnow) = map { [numbers($_)] } @texts[1 .. 5];
    my @facts;
    for my $map (1 .. 4) {
        push @facts, map { sprintf "opcode %x of map %d: class '%s'", $_, $map,
                           substr $classes, 256 * ($map - 1) + $_, 1 } @$ops;
    }
    while (my ($op, $pp, $mem, $reg) = splice @$groups, 0, 4) {
        next if !$asked{$op & 255};
        push @facts, sprintf 'opcode %x of map %d: prefixes %x, memory %x, registers %x', $op & 255, $op >> 8, $pp,
             $mem, $reg;
    }
    for my $table (0 .. 31) {
        for my $row (@$rows[$$firsts[$table] .. $$firsts[$table + 1] - 1]) {
            push @facts, map { sprintf 'opcode %x of %s: prefixes %x, form %012x', $_, $NAME{$table}, $row >> 8 & 255,
                               $$forms[$row & 255] } grep { $asked{$_} } $row >> 24 .. $row >> 16 & 255;
        }
    }
    return (@facts, map { sprintf 'opcode %x of 3DNow!', $_ } grep { $asked{$_} } @$ops_3dnow);
}

# With EVEX, a displacement of one byte counts as many bytes as an operand in memory has. The recorder of examples/tool
# lists opcodes of maps 1 to 3 with operands of a whole vector, whatever the prefix and W.
sub wrong_units
{
    my ($source) = @_;
    my ($maps) = $source =~ /unsigned char whole\[3\]\[\d+\] = \{\n(.*?)\n    \};/s or die "no list of opcodes\n";
    my @lists = $maps =~ /\{(.*?)\}/gs;
    my (@questions, @what, %sizes, @wrong);
    for my $map (1 .. 3) {
        for my $op (map { hex } $lists[$map - 1] =~ /0x[0-9a-f]+/g) {
            for my $ppw (0 .. 7) {
                push @questions, map { prefix(16 + $map, $ppw, $_, 0, 0, 0, 0, 0, 0) . " $op 64 1$PADS" } 0 .. 2;
                push @what, map { [sprintf('opcode %x of map %d', $op, $map), 16 << $_] } 0 .. 2;
            }
        }
    }
    my $answers = ask(\@questions);
    for (0 .. $#what) {
        my ($where, $size) = @{$what[$_]};
        $sizes{$where} //= 0;
        next if $$answers[$_] eq '';
        $sizes{$where}++;
        push @wrong, "$where: not $size bytes: $$answers[$_]" if $$answers[$_] !~ /\[rax \+ $size\]/;
    }
    return (@wrong, map { "$_: no instruction" } grep { !$sizes{$_} } sort keys %sizes);
}

sub read_file
{
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    return <$in>;
}

my ($mode, $file, $n, $at) = (@ARGV, 'print')[0 .. 3];
($n, $at) = (1, 0) if @ARGV < 4;
die "usage: make_x86_tables.pl [check FILE [N I] | write FILE | units FILE]\n"
    if !grep { $_ eq "$mode " . @ARGV } 'print 0', 'check 2', 'check 4', 'write 2', 'units 2';
if ($mode eq 'units') {
    my @wrong = wrong_units(read_file($file));
    print "$_\n" for @wrong;
    exit(@wrong != 0);
}
my @ops = grep { ($_ + ($_ >> 4)) % $n == $at } 0 .. 255;
my @made = make(\@ops);
if ($mode eq 'print') {
    print join "\n", @made;
    exit $bad;
}
my $header = read_file($file);
my @there = map { my @t = $header =~ /($_)/g; @t == 1 ? $t[0] : die "$file: not one table as in $_\n" } @TABLES;
if ($mode eq 'check') {
    my @facts = facts(\@ops, @made);
    my %made = map { $_ => 1 } @facts;
    my %there = map { $_ => 1 } facts(\@ops, @there);
    my @wrong = sort((map { "$_: not so in $mc" } grep { !$made{$_} } keys %there),
                     (map { "$_: only in $mc" } grep { !$there{$_} } keys %made));
    push @wrong, 'tables of the same contents are written otherwise' if $n == 1 && !@wrong && "@made" ne "@there";
    print "$_\n" for @wrong;
    printf "%d of 256 opcodes of each map, %d facts, %d differences\n", scalar @ops, scalar @facts, scalar @wrong;
    exit($bad || @wrong != 0);
}
$header =~ s/$TABLES[$_]/$made[$_]/ for 0 .. $#made;
open my $out, '>', $file or die "$file: $!\n";
print $out $header;
close $out or die "$file: $!\n";
exit $bad;
