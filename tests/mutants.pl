#!/usr/bin/perl
# mutants.pl COUNT SEED [LAYER,...]: a measure of the tests. Changes the library in COUNT places, drawn by SEED from the
# implementation (or from these layers, the same number from each), and runs the layer's own tests on each change: a
# mutant that they let live is printed with its line. Run in tests/, by make mutants.
#
# All mutants are in one library, which is compiled twice: `a < b` becomes `(csspgo__M(7) ? a <= b : a < b)`, and the
# environment says which is on. A test runs once without a mutant, for its time and for the places that it enters; then
# for each mutant in them until one check fails. A mutant that lives so runs again under sanitizers. mutants.equivalent
# names changes that no test can see.
use strict;
use warnings;
use Time::HiRes 'time';

my ($count, $seed, $only) = @ARGV;
my $dir = 'build/mutants';
my $clang = 'clang-19 -std=c99 -w -g1';
my %build = (plain => '-O1', san => '-O0 -fsanitize=address,undefined -fno-sanitize-recover=all');
my @zlib = grep { -e "/usr/include/$_.h" } 'zlib', 'zstd';      # as in the unit tests
my $z = join ' ', map { '-DCSSPGO_USE_' . uc } @zlib;
my $lz = join ' ', map { $_ eq 'zlib' ? '-lz' : '-lzstd' } @zlib;
my $whole = "-DCSSPGO_IMPLEMENTATION -DCSSPGO_ALL -DCSSPGO__COMMIT_CHECKS $z";
# The tests of each layer.
my %inside = (base => 1, internals => 1, misuse => 1);      # these have a copy of the library inside
my %tests = (
    base => 'base internals messages', graph => 'graph', tree => 'tree track short internals generate', format => 'format binary newer internals',
    edit => 'edit overlap tree short', code => 'code codemap probes internals misuse recordings',
    sample => 'sample recordings queue internals',
    unwind => 'unwind frames collector sample recordings queue internals', track => 'track short', generate => 'generate preinline collector', preinline => 'preinline', inspect => 'tree code codemap internals', reshape => 'edit short', probes => 'probes',
    modules => 'code codemap recordings', extbinary => 'binary newer', shrink => 'edit short runtime', inliner => 'track short',
    flow => 'graph match', match => 'match', legacy => 'binary', lazy => 'binary newer base', decode => 'insn code',
    encode => 'probes', perf => 'recordings sample script_memory', preagg => 'aggregated', unsymbolized => 'unwind frames',
    estimate => 'generate', lines => 'lines', quality => 'overlap truth', llvm => 'overlap edit track',
    layout => 'layout', ctxprof => 'ctxprof ctxrun ctxone', bottleneck => 'bottleneck sim',
    runtime => 'runtime threads queue');

srand($seed);
open my $in, '<', '../csspgo.h' or die "csspgo.h: $!";
my $source = join '', <$in>;
close $in;
my @line = $source =~ /^.*\n/mg;

# ----- Where the code is: by line, without comments and preprocessor lines; its layer.
my (@layer, @start, $name, $half, $comment, $define);
my $at = 0;
for my $i (0 .. $#line) {
    my $text = $line[$i];
    $start[$i] = $at;
    $at += length $text;
    $half = 1 if $text =~ /The interface ends here/;
    $name = $1 if $text =~ m{^/\* ===== >>(\w+)};
    my $code = !$comment && $half && !$define && $text !~ /^\s*(#|\/\*|\*)/ && $text =~ /^    / && $text !~ /EXPECT|COMMIT_CHECK|PREFETCH|error_|say|deny|llvm_check|return "|default: break/;
    $define = $define ? $text =~ /\\$/ : $text =~ /^\s*#.*\\$/;
    $comment = $text =~ m{/\*} && $text !~ m{\*/} ? 1 : $text =~ m{\*/} ? 0 : $comment;
    $layer[$i] = $code ? $name : '';
}

# ----- Tokens around a place: the operands of an operator end where one of lower precedence stands, or a bracket.
my %prec = ('*' => 10, '/' => 10, '%' => 10, '+' => 9, '-' => 9, '<<' => 8, '>>' => 8, '<' => 7, '>' => 7, '<=' => 7,
    '>=' => 7, '==' => 6, '!=' => 6, '&' => 5, '^' => 4, '|' => 3, '&&' => 2, '||' => 1, '?' => 0, ':' => 0, '=' => -1);
my $token = qr{\G(\s+|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\w+|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)}s;

# A function's tokens: [text, offset]; binary operators have spaces on both sides, others do not.
my %function;
sub tokens {
    my ($i) = @_;
    my $from = $i;
    $from-- while $from > 0 && $line[$from] !~ /^\{/;
    return $function{$from} if $function{$from};
    my $to = $from;
    $to++ while $line[$to] !~ /^\}/;
    my $body = join '', @line[$from .. $to];
    my @t;
    while ($body =~ /$token/gc) {
        my $s = $1;
        next if $s =~ m{^(\s|/\*)};
        my $a = pos($body) - length $s;
        my $binary = exists $prec{$s} && $s !~ /^[?:=]$/ && substr($body, $a - 1, 1) =~ /\s/ && substr($body, $a + length $s, 1) =~ /\s/;
        $binary = 1 if $s =~ /^(\?|:|[-+*\/%&|^]=|<<=|>>=|=)$/;
        push @t, [$s, $start[$from] + $a, $binary];
    }
    return $function{$from} = \@t;
}

# extent TOKENS INDEX STEP LOWEST: the index of the last token of the operand beside INDEX
sub extent {
    my ($t, $k, $step, $lowest) = @_;
    my $depth = 0;
    my $e = $k;
    for (my $j = $k + $step; $j >= 0 && $j < @$t; $j += $step) {
        my ($s, undef, $binary) = @{$t->[$j]};
        my ($open, $close) = $step > 0 ? (qr/^[(\[]$/, qr/^[)\]]$/) : (qr/^[)\]]$/, qr/^[(\[]$/);
        if ($s =~ $open) { $depth++ }
        elsif ($s =~ $close) { return $e if $depth-- == 0 }
        elsif ($depth == 0) {
            return $e if $s =~ /^([,;{}]|return|else|case|if|while|for|switch|do)$/;
            if ($binary) {
                my $p = $prec{$s} // -1;
                return $e if $step > 0 ? $p <= $lowest : $p < $lowest;
            }
        }
        $e = $j;
    }
    return $e;
}

# A statement's left side, from behind `;`, a brace, `else` or the condition of an if or a loop.
sub statement {
    my ($t, $k) = @_;
    my $j = $k - 1;
    my $e = $k;
    while ($j >= 0) {
        my $s = $t->[$j][0];
        return $e if $s =~ /^([,;:({}]|else|do)$/;
        if ($s =~ /^[)\]]$/) {
            my ($close, $depth) = ($j, 0);
            for (; $j >= 0; $j--) {
                $depth++ if $t->[$j][0] =~ /^[)\]]$/;
                $depth-- if $t->[$j][0] =~ /^[(\[]$/;
                last if $depth == 0;
            }
            return $e if $j > 0 && $t->[$j - 1][0] =~ /^(if|while|for|switch)$/ && $s eq ')';
        }
        $e = $j--;
    }
    return $e;
}

# ----- The changes: what is found, what stands there instead. The first that fits, from a random one on, is made.
my @change = (
    [qr/ == /, ' != '], [qr/ != /, ' == '], [qr/ < /, ' <= '], [qr/ <= /, ' < '], [qr/ > /, ' >= '], [qr/ >= /, ' > '],
    [qr/ && /, ' || '], [qr/ \|\| /, ' && '], [qr/ \+ 1\b/, ' + 2'], [qr/ - 1\b/, ''], [qr/ \+ /, ' - '], [qr/ - /, ' + '],
    [qr/\+\+;/, ';'], [qr/ \|= /, ' = '], [qr/ \+= /, ' = '], [qr/ return 0;/, ' return 1;'], [qr/ return 1;/, ' return 0;'],
    [qr/ = 0;/, ' = 1;'], [qr/ = 1;/, ' = 0;'], [qr/\bif \(/, 'if (!('], [qr/^(\s+)(csspgo__\w+\(.*\);)$/, ';'], [qr/ continue;/, ' ;'],
    [qr/ break;/, ' ;'], [qr/ << /, ' >> '], [qr/ & /, ' | ']);

# change LINE CHANGE: [from, to, text with both, the line as it would read], or nothing
sub change {
    my ($i, $from, $to) = @_;
    my $text = $line[$i];
    my $new = $text;
    if ($to eq 'if (!(') { return unless $new =~ s/\bif \((.*)\) (?=[^()]*(\([^()]*\)[^()]*)*$)/if (!($1)) / }
    else { return unless $new =~ s/$from/$to/ }
    $text =~ /$from/;
    my $place = $start[$i] + $-[0];
    my $word = substr $source, $place, $+[0] - $-[0];
    $place += length $1 if $word =~ /^(\s+)/;
    my $t = tokens($i);
    my $k = 0;
    $k++ while $k < $#$t && $t->[$k][1] < $place;
    return if $t->[$k][1] != $place;
    my $op = $t->[$k][0];
    my $part = sub { my ($a, $b) = @_; substr $source, $t->[$a][1], $t->[$b][1] + length($t->[$b][0]) - $t->[$a][1] };
    my ($a, $b, $both);
    if ($op eq 'if') {
        $a = $b = $k + 1;
        $b = extent($t, $k + 1, 1, -9) + 1;
        $both = '((' . $part->($a, $b) . ' ? 1 : 0) != csspgo__M(N))';
    } elsif ($to =~ /return ([01]);/) {
        my $other = $1;
        ($a, $b) = ($k + 1, $k + 1);
        $both = "(csspgo__M(N) ? $other : " . (1 - $other) . ')';
    } elsif ($op =~ /^(continue|break)$/) {
        ($a, $b) = ($k, $k + 1);
        $both = "{ if (!csspgo__M(N)) $op; }";
    } elsif ($op =~ /^csspgo__/) {
        return if $t->[$k - 1][0] !~ /^([;{})]|else)$/;
        ($a, $b) = ($k, extent($t, $k, 1, -9));
        $both = '(csspgo__M(N) ? (void)0 : (void)(' . $part->($a, $b) . '))';
    } elsif ($op eq '++') {
        ($a, $b) = (statement($t, $k), $k);
        $both = '(csspgo__M(N) ? (void)0 : (void)(' . $part->($a, $b) . '))';
    } elsif ($op =~ /^[|+]=$/) {
        ($a, $b) = (statement($t, $k), extent($t, $k, 1, -9));
        my ($l, $r) = ($part->($a, $k - 1), $part->($k + 1, $b));
        $both = "(csspgo__M(N) ? ($l = $r) : ($l $op $r))";
    } elsif ($op eq '=') {
        ($a, $b) = ($k + 1, $k + 1);
        $both = '(csspgo__M(N) ? ' . (1 - $t->[$a][0]) . " : $t->[$a][0])";
    } else {
        return unless $t->[$k][2];
        ($a, $b) = (extent($t, $k, -1, $prec{$op}), extent($t, $k, 1, $prec{$op}));
        my ($l, $r) = ($part->($a, $k - 1), $part->($k + 1, $b));
        my $other = $to eq '' ? $l : $to =~ /2/ ? "$l + 2" : "$l $to $r";
        $both = "(csspgo__M(N) ? $other : $l $op $r)";
    }
    my ($begin, $end) = ($t->[$a][1], $t->[$b][1] + length $t->[$b][0]);
    my $old = substr $source, $begin, $end - $begin;
    return if $old =~ /^\s*#/m;
    $both =~ s{/\*.*?\*/}{}gs;
    $both =~ s/\s*\n\s*/ /g;
    $both .= "\n" x ($old =~ tr/\n//);
    s/^\s+|\s+$//g for $text, $new;
    return [$begin, $end, $both, $i, $text, $new];
}

# Clamps, minima and differences are the same whether or not their two sides may be equal.
sub same {
    my ($old, $new) = @_;
    (my $x = $old) =~ s/ ([<>])= / $1 /g;
    (my $y = $new) =~ s/ ([<>])= / $1 /g;
    return $x eq $y && ($x =~ /^if \((.*) [<>] (.*)\) (\1 = \2|\2 = \1);$/ || $x =~ /(\S+) [<>] (\S+?)\)? \? (\1 - \2 : 0|\1 : \2|\2 : \1)\b/);
}

# ----- What no test can see: paragraphs of `- old line`, `+ new line`, reason.
my %equivalent;
if (open my $list, '<', 'mutants.equivalent') {
    local $/ = '';
    while (<$list>) { $equivalent{"$1\n$2"} = 1 if /^- (.*)\n\+ (.*)\n/m }
}

my @mutant;
my %taken;
my $same = 0;
for my $group ($only ? map { [$_, int($count / (1 + ($only =~ tr/,//)))] } split(/,/, $only) : ['', $count]) {
    my ($of, $wanted) = @$group;
    my @place = grep { $layer[$_] && $tests{$layer[$_]} && (!$of || $layer[$_] eq $of) } 0 .. $#line;
    die "no layer $of\n" if !@place;
    my $n = 0;
    for (my $tries = 0; $n < $wanted && $tries < 100 * $wanted; $tries++) {
        my $i = $place[rand @place];
        my $first = int rand @change;
        next if $taken{$i};
        for my $k (map { ($first + $_) % @change } 0 .. $#change) {
            my $m = change($i, @{$change[$k]}) or next;
            next if same(@{$m}[4, 5]);
            my ($from, $to) = map { my $o = $_; my $l = $i; $l-- while $start[$l] > $o; $l++ while $l < $#line && $start[$l + 1] <= $o; $l } $m->[0], $m->[1] - 1;
            last if grep { $taken{$_} } $from .. $to;
            $taken{$_} = 1 for $from .. $to;
            if ($equivalent{"$m->[4]\n$m->[5]"}) { $same++ } else { push @mutant, $m }
            $n++;
            last;
        }
    }
}
@mutant = sort { $a->[0] <=> $b->[0] } @mutant;

# ----- One library with all of them; those that do not compile are left out.
system("rm -rf $dir; mkdir -p $dir/0/tests/build $dir/1/tests/build") == 0 or die;
my @valid = (1) x @mutant;
sub library {
    my $out = '';
    my $done = 0;
    for my $n (0 .. $#mutant) {
        next unless $valid[$n];
        my ($begin, $end, $both) = @{$mutant[$n]};
        $both =~ s/csspgo__M\(N\)/csspgo__M($n)/g;
        $out .= substr($source, $done, $begin - $done) . $both;
        $done = $end;
    }
    $out .= substr $source, $done;
    open my $to, '>', "$dir/csspgo.h" or die;
    print $to "#include \"mutants.h\"\n#line 1\n", $out;
    close $to;
}
open my $switch, '>', "$dir/mutants.h" or die;
print $switch "#define CSSPGO__MUTANTS ", scalar @mutant, "\n", <<'C';
#ifndef CSSPGO__M
#define CSSPGO__M
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
static int csspgo__mutant = -1;
static unsigned char csspgo__none[CSSPGO__MUTANTS + 1], *csspgo__entered = csspgo__none;
#define csspgo__M(n) (csspgo__entered[n] = 1, csspgo__mutant == (n))
__attribute__((constructor)) static void csspgo__mutants(void)
{
    const char *on = getenv("MUTANT"), *entered = getenv("MUTANT_ENTERED"), *ms = getenv("MUTANT_MS");
    if (on != NULL) csspgo__mutant = atoi(on);
    if (entered != NULL) {
        int f = open(entered, O_RDWR | O_CREAT, 0666);
        if (ftruncate(f, CSSPGO__MUTANTS + 1) != 0) _exit(9);
        csspgo__entered = (unsigned char *)mmap(NULL, CSSPGO__MUTANTS + 1, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    }
    if (ms != NULL) {
        struct itimerval t = {{0, 0}, {atoi(ms) / 1000, atoi(ms) % 1000 * 1000}};
        struct rlimit memory = {(rlim_t)4 << 30, (rlim_t)4 << 30}, core = {0, 0};
        setitimer(ITIMER_VIRTUAL, &t, NULL);
        setrlimit(RLIMIT_CORE, &core);
#if !__has_feature(address_sanitizer)
        setrlimit(RLIMIT_AS, &memory);
#endif
    }
}
#endif
C
close $switch;
for (;;) {
    library();
    my $bad = 0;
    for (`$clang -ferror-limit=0 -fsyntax-only $whole -x c $dir/csspgo.h 2>&1`) {
        next unless /csspgo\.h:(\d+):\d+: error/;
        my $o = $start[$1 - 1];
        for my $n (grep { $valid[$_] } 0 .. $#mutant) {
            my ($begin, $end) = @{$mutant[$n]};
            next if $end <= $o || $begin >= $o + length $line[$1 - 1];
            $valid[$n] = 0;
            $bad++;
        }
    }
    last unless $bad;
}
my %compiled = map { $_ => 1 } map { /csspgo__entered\[(\d+)\]/g } `$clang -E $whole -x c $dir/csspgo.h`;
$compiled{$_} or $valid[$_] = 0 for 0 .. $#mutant;     # code of other machines and options
my %need = map { $_ => 1 } map { split ' ', $tests{$layer[$_->[3]]} } @mutant;
for my $w (0, 1) {     # each worker has files of its own
    symlink "../../../../$_", "$dir/$w/" . ($_ =~ s{.*/}{}r) for grep { !m{/(tests|csspgo\.h)$} } glob '../*';
    symlink "../$_", "$dir/$w/$_" for 'csspgo.h', 'mutants.h';
    symlink "../../../../$_", "$dir/$w/tests/$_" for grep { $_ ne 'build' } glob '*';
}

# two COMMAND...: runs the commands, two at a time; dies if one fails
sub two {
    my (@command) = @_;
    my (%running, $failed);
    while (@command || %running) {
        while (@command && keys %running < 2) {
            my $c = shift @command;
            my $pid = fork();
            if ($pid == 0) { exec $c or exit 1 }
            $running{$pid} = $c;
        }
        my $pid = wait();
        my $done = delete $running{$pid};
        ($failed, @command) = ($done) if $? != 0;
    }
    die "$failed\n" if $failed;
}
my $t0 = time;
my @test = grep { -e "test_$_.c" } sort keys %need;
sub make {
    my ($how, @which) = @_;
    my $cc = "$clang $build{$how}";
    my $part = "$z -O0 -DT_DIR='\"build\"' -DT_FIRST";
    two("$cc $whole -x c -c -o $dir/$how.o $dir/csspgo.h",
        map { $inside{$_} ? "$cc -D_GNU_SOURCE $part -o $dir/$_.$how $dir/0/tests/test_$_.c $lz -lm"
            : -e "$dir/$_.o" ? () : "$clang $part -DCSSPGO_IMPLEMENTATION_INCLUDED -c -o $dir/$_.o test_$_.c" } @which);
    two(map { $inside{$_} ? () : "$cc -o $dir/$_.$how $dir/$_.o $dir/$how.o $lz -lm -lpthread" } @which);
}

# run TEST BUILD WORKER MUTANT: its status
my (%ms, %entered);
$ENV{ASAN_OPTIONS} = 'detect_leaks=1:hard_rss_limit_mb=4096:intercept_strstr=0:quarantine_size_mb=8';
sub run {
    my ($t, $how, $w, $n) = @_;
    my $limit = $n < 0 ? '' : 'MUTANT_MS=' . int(1000 + 4 * $ms{"$t.$how"});
    my $seconds = $n < 0 ? 600 : 30 + int($ms{"$t.$how"} / 25);
    return system("cd $dir/$w/tests && MUTANT=$n $limit timeout $seconds ../../$t.$how >../out 2>&1");
}
sub first_run {
    my ($how, @which) = @_;
    for my $t (@which) {
        my @before = times;
        $ENV{MUTANT_ENTERED} = "$ENV{PWD}/$dir/$t.entered";
        my $status = run($t, $how, 0, -1);
        delete $ENV{MUTANT_ENTERED};
        my @after = times;
        $ms{"$t.$how"} = 1000 * ($after[2] - $before[2]);
        if ($status != 0) {
            print "test_$t fails without a mutant:\n", `head -5 $dir/0/out`;
            $entered{$t} = '';
            next;
        }
        open my $seen, '<', "$dir/$t.entered" or next;
        binmode $seen;
        local $/;
        $entered{$t} = <$seen>;
    }
}
$ENV{PWD} = `pwd`;
chomp $ENV{PWD};

# all MUTANTS BUILD: how each ends: killed, lives, or never (entered)
my %end;
sub all {
    my ($how, @which) = @_;
    my @child;
    my @queue = @which;
    for my $w (0, 1) {
        my $pid = open my $from, '-|';
        die unless defined $pid;
        if ($pid == 0) {
            for (my $k = $w; $k < @queue; $k += 2) {
                my $n = $queue[$k];
                my @reach = sort { $ms{"$a.$how"} <=> $ms{"$b.$how"} }
                    grep { length($entered{$_} // '') > $n && ord substr $entered{$_}, $n, 1 } split ' ', $tests{$layer[$mutant[$n][3]]};
                my $end = @reach ? 'lives' : 'never';
                for my $t (@reach) {
                    if (run($t, $how, $w, $n) != 0) { $end = 'killed'; last }
                }
                syswrite STDOUT, "$n $end\n";
            }
            exit 0;
        }
        push @child, $from;
    }
    for my $from (@child) {
        while (<$from>) {
            my ($n, $e) = split;
            $end{$n} = $e;
            printf STDERR "csspgo.h:%d %s (%s):\n- %s\n+ %s\n", $mutant[$n][3] + 1, $e, $how, @{$mutant[$n]}[4, 5] if $e ne 'killed';
        }
    }
}

make('plain', @test);
printf STDERR "compiled: %.0f s\n", time - $t0;
first_run('plain', @test);
printf STDERR "tests without mutants: %.0f s, %s\n", time - $t0, join ' ', map { sprintf "%s=%d", $_, $ms{"$_.plain"} } @test;
all('plain', grep { $valid[$_] } 0 .. $#mutant);
printf STDERR "plain: %.0f s\n", time - $t0;
my @again = grep { ($end{$_} // '') eq 'lives' } 0 .. $#mutant;
if (@again) {
    my %some = map { $_ => 1 } map { split ' ', $tests{$layer[$mutant[$_][3]]} } @again;
    my @some = grep { $some{$_} } @test;
    make('san', @some);
    first_run('san', @some);
    all('san', @again);
}
my (%killed, %all);
for my $n (sort { $a <=> $b } keys %end) {
    my (undef, undef, undef, $i, $old, $new) = @{$mutant[$n]};
    $all{$layer[$i]}++;
    $killed{$layer[$i]} += $end{$n} eq 'killed';
    next if $end{$n} eq 'killed';
    printf "csspgo.h:%d (%s) %s:\n- %s\n+ %s\n", $i + 1, $layer[$i], $end{$n} eq 'never' ? 'is never entered' : 'lives', $old, $new;
}
my ($k, $n) = (0, 0);
for (sort keys %all) {
    printf "%-14s %d of %d\n", $_, $killed{$_}, $all{$_};
    $k += $killed{$_};
    $n += $all{$_};
}
my @used = times;
printf "%d of %d mutants killed, %.1f %%; %d are equivalent, %d did not compile; %.0f s, %.0f s of CPU time\n", $k, $n,
    $n ? 100 * $k / $n : 0, $same, scalar(@mutant) - $n, time - $t0, $used[0] + $used[1] + $used[2] + $used[3];
