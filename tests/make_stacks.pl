#!/usr/bin/perl
# make_stacks.pl SEED DIR - random call stacks of names in every form that flame and folded read, and what they are
#   DIR/folded, DIR/script (perf script -F comm,pid,tid,time,event,ip,sym,symoff,dso), DIR/v8.cpuprofile: the same stacks
#   DIR/want: what csspgo folded makes of them; DIR/rows: a sample a line, TIME COMM TID EVENT KERNEL STACK
use strict;
use warnings;
my ($seed, $dir) = @ARGV;
srand($seed);
my @name = ('main', 'parse', 'std::vector<int, A>::push_back(int)', 'operator delete(void*)', "caf\xc3\xa9", 'a b', 'f.cold',
            'x::y', '(anonymous)', 'w');
my @comm = ('app', 'Web Content', 'worker 3');
my (%want, @sample);
for my $i (1 .. 300) {
    my @frame = ('main');
    push @frame, $name[rand @name] for 1 .. int rand 6;
    my $kernel = rand() < .2 ? 1 : 0;
    push @frame, 'do_syscall_64', 'vfs_read' if $kernel;
    my %s = (frame => \@frame, kernel => $kernel, comm => $comm[rand @comm], tid => 10 + int rand 4,
             time => 1_000_000_000_000 + $i * 1_234_567, event => rand() < .5 ? 'cycles:u' : 'cpu-clock');
    push @sample, \%s;
    $want{join ';', @frame}++;
}
sub out { open my $f, '>:raw', "$dir/$_[0]" or die "$dir/$_[0]: $!"; $f }

my $f = out('want');
print $f map { "$_ $want{$_}\n" } sort { "$a " cmp "$b " } keys %want;
$f = out('folded');                    # some lines twice, their counts add up
for my $s (sort { $a cmp $b } keys %want) {
    my $n = $want{$s};
    my $part = 1 + int rand $n;
    print $f "$s $part\n";
    print $f "$s ", $n - $part, "\r\n" if $n != $part;
}
$f = out('rows');
printf $f "%s\t%s\t%d\t%s\t%d\t%s\n", $_->{time}, $_->{comm}, $_->{tid}, $_->{event}, $_->{kernel}, join ';', @{$_->{frame}}
    for @sample;
$f = out('script');
for my $s (@sample) {
    printf $f "%16s  10/%d [001] %d.%09d: %s: \n", $s->{comm}, $s->{tid}, int($s->{time} / 1e9), $s->{time} % 1_000_000_000, $s->{event};
    my @frame = reverse @{$s->{frame}};
    for my $i (0 .. $#frame) {
        my $kernel = $s->{kernel} && $i < 2;
        printf $f "\t%16s %s%s (%s)\n", $kernel ? 'ffffffff810000' . (10 + $i) : sprintf('55e1%04x', 16 * $i + 1), $frame[$i],
            rand() < .5 ? sprintf('+0x%x', int rand 999) : '', $kernel ? '[kernel.kallsyms]' : '/usr/bin/my app';
    }
    print $f "\t               0 [unknown] ([unknown])\n" if rand() < .2;
    print $f "\n";
}
# V8: a tree; half of the files say how often by hitCount, the others by samples
my (%id, @node, @hits);
sub node {
    my ($stack) = @_;
    return $id{$stack} if exists $id{$stack};
    my $up = $stack eq '' ? undef : node($stack =~ /;/ ? $stack =~ s/;[^;]*$//r : '');
    push @node, { name => $stack eq '' ? '(root)' : $stack =~ s/.*;//r, child => [] };
    push @hits, 0;
    push @{$node[$up]{child}}, $#node if defined $up;
    return $id{$stack} = $#node;
}
node('');
$hits[node($_)] += $want{$_} for sort keys %want;
my $by_samples = $seed % 2;
sub quote { my $s = $_[0]; $s =~ s/(["\\])/\\$1/g; $s =~ s/\xc3\xa9/\\u00e9/g; qq("$s") }
$f = out('v8.cpuprofile');
print $f '{"nodes":[', join(',', map {
    sprintf '{"id":%d,"callFrame":{"functionName":%s,"scriptId":"0","url":"","lineNumber":-1}%s,"children":[%s]}', $_ + 5,
        quote($node[$_]{name}), $by_samples ? '' : ",\"hitCount\":$hits[$_]", join ',', map { $_ + 5 } @{$node[$_]{child}}
} reverse 0 .. $#node), '],"startTime":0,"endTime":9,"samples":[',
    join(',', map { my $n = $_; ($n + 5) x $hits[$n] } 0 .. $#node), '],"timeDeltas":[]}';
