# annotate_exact.pl RAW TOOL PROGRAM PROFILE NAMES: for each function of the profile NAMES, compares the counts of instructions that
# annotate shows with those of the raw counters of a recording in which each branch stands once. Prints instructions with
# a count that never executed, then "N shown, P percent of what executed, Q percent off".
use strict;
use warnings;
use JSON::PP;
my ($raw, $tool, $program, $profile, $names) = @ARGV;
my ($base, %step) = (0);
for (`readelf -lW $program`) {                         # raw counters count from the page of the first code
    if (/LOAD\s+\S+\s+(0x\w+).*R E/) { $base = hex($1) & ~0xfff; last }
}
open my $in, '<', $raw or die $raw;
my $ranges = <$in>;
for (1 .. $ranges) {
    <$in> =~ /^\s*([0-9a-f]+)-([0-9a-f]+):(\d+)/ or die 'no range';
    $step{$base + hex $1} += $3;
    $step{$base + 1 + hex $2} -= $3;
}
my @at = sort { $a <=> $b } keys %step;
my ($sum, @count) = (0);
push @count, $sum += $step{$_} for @at;

sub executed {
    my ($address, $low, $high) = ($_[0], 0, scalar @at);
    while ($low < $high) {
        my $m = ($low + $high) >> 1;
        if ($at[$m] <= $address) { $low = $m + 1 } else { $high = $m }
    }
    return $low ? $count[$low - 1] : 0;
}

my $top = decode_json(join '', `$tool show --no-demangle --top=500 --json $names`);
my (%seen, $shown, $all, $of, $off);
($shown, $all, $of, $off) = (0, 0, 0, 0);
for (map { $_->{function} =~ s/.* @ //r } @{ $top->{hot}{list} }) {
    next if $seen{$_}++;
    my $text = join '', `$tool annotate --quiet --json --contexts=0 --binary=$program --function='$_' $profile 2>/dev/null`;
    next if $? || $text eq '';
    for my $insn (@{ decode_json($text)->{instructions} }) {
        my ($true, $says) = (executed($insn->{address}), $insn->{counts}[0]);
        $all += $true;
        next unless $says;
        printf "%s %x %s: %d, but it never executed\n", $_, $insn->{address}, $insn->{text}, $says unless $true;
        $shown++;
        $of += $true;
        $off += abs($true - $says);
    }
}
printf "%d shown, %.1f percent of what executed, %.2f percent off\n", $shown, $all ? 100 * $of / $all : 0, $of ? 100 * $off / $of : 0;
