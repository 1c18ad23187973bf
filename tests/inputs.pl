#!/usr/bin/perl
# inputs.pl [FILE]: makes INPUTS.md of inputs.tsv, on standard output; with FILE it also checks the rows, and prints to FILE what
# is not true: a test that is not there or has no such words, and words of messages that no source has
use strict;
use warnings;

my $faults = shift;
open my $in, '<', 'inputs.tsv' or die "inputs.tsv: $!\n";
my (%text, @bad, $rows);
sub slurp { my $f = shift; return $text{$f} //= do { open my $h, '<', $f or return; local $/; <$h> } }

# All string constants of the sources, those that follow one another joined
my $source = join "\n", map { slurp($_) } '../csspgo.h', glob('../examples/*.h ../examples/tool/*/*.c ../examples/share/*.h');
(my $words = $source) =~ s/"\s*"//g;
$words =~ s/\\"/"/g;

sub check {
    my ($line, $test, $what, $refused) = @_;
    my $file = $test =~ /^fuzz_/ ? "../fuzz/$test" : $test;
    my $text = slurp($file);
    return push @bad, "$line: no test $test" unless defined $text;
    for my $list (grep { $text =~ /\b\Q$_\E\b/ } qw(COMMANDS.tsv RESULTS.txt MANIFEST.txt)) {
        $text .= join '', map { slurp($_) // '' } glob("data/*/$list data/*/*/$list data/*/*/*/$list");
    }
    if (index($text, $what) < 0) {
        my ($folder) = $what =~ m{(?:^|/)([^/]+)/[^/]+$};
        my @of = glob("data/$what data/*/$what $what");
        push @bad, "$line: $test has no '$what'" unless defined $folder && grep({ -f } @of) && $text =~ /\b\Q$folder\E\b/;
    }
    for ($refused =~ /`([^`]*)`/g) { push @bad, "$line: no message or test has '$_'" if index("$words$text", $_) < 0 }
}

print <<'END';
# Inputs

What can be given to `csspgo`, one form a line: who makes it, the test that holds it (in `tests/`, with words to search for there or the file of
`tests/data/` that it reads), and what of it is refused. Words in quotes are those of the message. The commands of each kind are in the
[shorter table](README.md#inputs). This file is made: `perl inputs.pl >INPUTS.md` of `inputs.tsv`; `inputs.sh` checks that each test is there, has
these words, and that each message is in the sources.
END
while (<$in>) {
    chomp;
    next if /^# /;
    if (/^## (.*)/) { print "\n## $1\n\n| form | who makes it | test | what is refused |\n| --- | --- | --- | --- |\n"; next }
    my @f = split /\t/, $_, -1;
    if (@f != 5) { push @bad, "$.: " . @f . " columns"; next }
    my ($form, $who, $test, $what, $refused) = @f;
    check($., $test, $what, $refused);
    (my $shown = $what) =~ s/\|/\\|/g;
    s/\|/\\|/g for $form, $who, $refused;
    print "| $form | $who | `$test`: `$shown` | $refused |\n";
    $rows++;
}
if (defined $faults) {
    open my $out, '>', $faults or die "$faults: $!\n";
    print $out map { "inputs.tsv:$_\n" } @bad;
    print $out "inputs.tsv: only $rows rows\n" if $rows < 200;
}
