# layers.pl HEADER: draws the layers of csspgo.h from its source: where each function, type, macro and constant is
# defined, and who uses it. Prints what a layer takes from one that it must not know, and places that drop records by
# themselves, one line each; then the number of references looked at. Called by layers.sh.
use strict;
use warnings;

# The kernel, in order: a layer uses those before it. `>>config` and what stands before the first layer are no layers,
# but all may use them.
my @kernel = qw(config base graph tree format edit code sample unwind track generate);
# Chapters: each uses the kernel, and at most one other chapter, which is named here. The interface of `runtime` stands
# behind base, before all that it uses.
my %chapter = (extbinary => '', shrink => '', runtime => 'shrink', inliner => '', preinline => '', inspect => '', reshape => '',
               probes => '', modules => '', flow => '', match => 'flow', legacy => 'extbinary', lazy => 'extbinary', decode => '',
               encode => 'probes', perf => 'modules', preagg => 'perf', unsymbolized => 'perf', estimate => 'flow', lines => '', quality => 'reshape', llvm => '', layout => 'flow',
               ctxprof => 'flow', bottleneck => 'flow');
# Hooks: the kernel declares and calls them, a chapter that may be missing has the code.
my %hook = map { $_ => 1 } qw(csspgo__map_tell csspgo__extbinary_read csspgo__extbinary_write
                              csspgo__legacy_read csspgo__legacy_write csspgo__replay_promote csspgo__replay_end);
# Types that one other layer has a pointer to, and never looks into.
my %opaque = (csspgo_lazy => 'extbinary');
# Layers without code
my %prose = map { $_ => 1 } qw(manual howto licence);
# The only functions that take a record away from a node, and that change the number of dropped records: the mover's
# gone nodes keep their records, and come back with them.
my %drops = map { $_ => 1 } qw(csspgo__record_drop csspgo__mover_undo);
my %counts = map { $_ => 1 } qw(csspgo__record_drop csspgo__mover_leave csspgo__mover_undo);

my $bad = 0;
sub bad { print "@_\n"; $bad++; }

my %may;                          # layer -> the layers that it may use
for my $i (0 .. $#kernel) { $may{$kernel[$i]}{$kernel[$_]} = 1 for 0 .. $i; }
for my $c (sort keys %chapter) {
    $may{$c} = { map { $_ => 1 } @kernel, $c };
    next if $chapter{$c} eq '';
    exists $chapter{$chapter{$c}} or bad("the table: $c uses $chapter{$c}, which is no chapter");
    $may{$c}{$chapter{$c}} = 1;
}

# comments and strings become blanks, lines stay
sub blank { my $s = shift; $s =~ s/[^\n]/ /g; return $s; }
local $/;
open my $file, '<', $ARGV[0] or die "$ARGV[0]: $!";
my $text = <$file>;
my @raw = split /\n/, $text, -1;
$text =~ s{(/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')}{blank($1)}gse;
my @code = split /\n/, $text, -1;

my (%def, @use, %seen);           # def: name -> layer -> [kind, line]; use: [name, layer, line, function]
my ($layer, $function, $open, $enum, $define) = ('config', '', 0, 0, 0);
sub define_name {
    my ($name, $kind, $line) = @_;
    return if $hook{$name} && exists $chapter{$layer};
    $def{$name}{$layer} //= [$kind, $line];
}
for my $i (0 .. $#code) {
    my ($line, $n) = ($code[$i], $i + 1);
    if ($raw[$i] =~ m{^/\* (?:=====|-----) >>(\w+)}) {
        ($layer, $function) = ($1, '');
        $seen{$layer}++;
        $may{$layer} || $prose{$layer} or bad("line $n: layer $layer is not in the table of layers.pl");
    }
    $layer = 'config' if $raw[$i] =~ m{^/\* ===== (?!>>)};    # between interface and implementation: what is included
    next if $line !~ /\S/ || $prose{$layer} || !$may{$layer};
    if ($define || $line =~ /^\s*#/) {
        define_name($1, 'macro', $n) if !$define && $line =~ /^\s*#\s*define\s+(CSSPGO_\w+|csspgo_\w+)/;
        $define = $line =~ /\\$/;
    } elsif (!$open) {
        if ($line =~ /^(?:typedef\s+)?(?:struct|union|enum)\s+(csspgo_\w+)\s*(?:\{|$)/) { define_name($1, 'type', $n); }
        elsif ($line =~ /^typedef\b.*\(\s*\*\s*(csspgo_\w+)\s*\)/) { define_name($1, 'type', $n); }
        elsif ($line =~ /^typedef\b.*\b(csspgo_\w+)\s*;/) { define_name($1, 'type', $n); }
        elsif ($line =~ /^[A-Za-z_][^=]*?\b(csspgo_\w+)\s*\(/) {
            define_name($1, 'function', $n);
            $function = $1;
        } elsif ($line =~ /^static\b[^(]*?\b(csspgo_\w+)\s*(?:\[|=)/) { define_name($1, 'table', $n); }
        $enum = $line =~ /^(?:typedef\s+)?enum\b/ if $line !~ /^\{/;
        $open = 1 if $line =~ /\{/ && $line !~ /^extern/;
        if ($enum && $open) {
            (my $list = $line) =~ s/^.*?\{//;
            define_name($1, 'constant', $n) while $list =~ /(?:^|,)\s*(CSSPGO_\w+)/g;
        }
        ($open, $enum) = (0, 0) if $line =~ /\}/ && $line !~ /^\{/;
    } elsif ($enum && $line !~ /^\}/) {
        define_name($1, 'constant', $n) while $line =~ /(?:^|,)\s*(CSSPGO_\w+)/g;
    }
    if ($line =~ /^\}/) {
        define_name($1, 'type', $n) if $open && $line =~ /^\}\s*(csspgo_\w+)\s*;/;
        ($open, $enum) = (0, 0);
    }
    push @use, [$1, $layer, $n, $function] while $line =~ /\b(csspgo_\w+|CSSPGO_\w+)\b/g;
    bad("line $n: $function takes a record away from a node: csspgo__record_drop does that")
        if $line =~ /(?:->|\.)record\s*=\s*0\s*;/ && !$drops{$function};
    bad("line $n: $function counts dropped records: csspgo__record_drop does that")
        if $line =~ /\b[pq]->dead\s*(?:\+\+|--|[-+]?=(?!=))|(?:\+\+|--)[pq]->dead\b/ && !$counts{$function};
}

# a layer has an interface and an implementation, or stands once
exists $seen{$_} or bad("layer $_ has no banner") for grep { $_ ne 'config' } @kernel, sort keys %chapter;
# a public function is declared and defined under the same name
for my $name (sort keys %def) {
    my @where = sort { $def{$name}{$a}[1] <=> $def{$name}{$b}[1] } keys %{ $def{$name} };
    next if @where < 2 || $def{$name}{$where[0]}[0] =~ /macro|constant/;
    bad("$def{$name}{$where[0]}[0] $name stands in two layers: " .
        join(', ', map { "$_ (line $def{$name}{$_}[1])" } @where));
}
my (%told, %looked);
for my $u (@use) {
    my ($name, $from, $n, $function) = @$u;
    my $d = $def{$name} or next;
    next if ($opaque{$name} // '') eq $from;
    my ($to) = grep { $may{$from}{$_} } keys %$d;
    ($to) = sort keys %$d if !defined $to;
    $looked{"$function $name"} = 1 if $to ne $from;
    next if $may{$from}{$to} || $told{"$from $function $name"}++;
    bad("line $n: $from uses $d->{$to}[0] $name of $to" . ($function ne '' ? ", in or behind $function" : ''));
}
printf "%d names, %d references from one layer to another, %d bad\n", scalar keys %def, scalar keys %looked, $bad;
exit($bad != 0);
