#!/usr/bin/perl
# coff_probes.pl ASSEMBLY IR: assembly for Windows of clang 19, with the probe sections that clang 22 writes
#
# clang 19 prints .pseudoprobe directives for every target, but its assembler drops them for COFF. Here each becomes
# a label, and the sections stand at the end, discardable, as clang 22 has them: so linkers keep their long names.
use strict;
use warnings;

my ($assembly, $ir) = @ARGV;
my ($function, @functions, %probes, $labels);

# The probes, by the function that has their code.
open my $in, '<', $assembly or die "$assembly: $!\n";
while (<$in>) {
    $function = $1 if /^"?([^\s".:][^\s":]*)"?:/;
    if (!/^\s*\.pseudoprobe\s+(\d+) (\d+) (\d+) (\d+)( \d+)?((?: @ \d+:\d+)*) \S+$/) {
        print;
        next;
    }
    my ($guid, $id, $type, $attributes, $discriminator, $stack) = ($1, $2, $3, $4, $5, $6);
    push @functions, $function unless $probes{$function};
    push @{$probes{$function}}, { guid => $guid, id => $id, discriminator => $discriminator, label => ++$labels,
                                  tag => 0x80 | $type | $attributes << 4 | ($discriminator ? 0x40 : 0),
                                  stack => [$stack =~ /(\d+):(\d+)/g] };   # outermost first
    print ".Lcoff_probe$labels:\n";
}

my $base;   # the symbol or label that the next address counts from

# A record: a function, its probes, and what is inlined into it.
sub put_record {
    my ($guid, $record) = @_;
    my @own = @{$record->{probes} || []};
    my @sites = @{$record->{sites} || []};
    printf "\t.quad\t%s\n\t.uleb128\t%d\n\t.uleb128\t%d\n", $guid, scalar @own, scalar @sites;
    for my $p (@own) {
        print "\t.uleb128\t$p->{id}\n\t.byte\t$p->{tag}\n\t.sleb128\t.Lcoff_probe$p->{label}-$base\n";
        print "\t.uleb128\t$p->{discriminator}\n" if $p->{discriminator};
        $base = ".Lcoff_probe$p->{label}";
    }
    for my $site (@sites) {
        my ($id, $callee) = split /:/, $site;
        print "\t.uleb128\t$id\n";
        put_record($callee, $record->{inlined}{$site});
    }
}

print qq(\t.section\t.pseudo_probe,"drD"\n);
for my $f (@functions) {
    my (%top, $guid);
    for my $p (@{$probes{$f}}) {
        my @guids = (@{$p->{stack}}[grep { $_ % 2 == 0 } 0 .. $#{$p->{stack}}], $p->{guid});
        my $record = \%top;
        $guid = $guids[0];
        for my $depth (1 .. $#guids) {
            my $site = "$p->{stack}[2 * $depth - 1]:$guids[$depth]";
            push @{$record->{sites}}, $site unless $record->{inlined}{$site};
            $record = $record->{inlined}{$site} //= {};
        }
        push @{$record->{probes}}, $p;
    }
    $base = $f;
    put_record($guid, \%top);
}

print qq(\t.section\t.pseudo_probe_desc,"drD"\n);
open $in, '<', $ir or die "$ir: $!\n";
while (<$in>) {
    next unless /^!\d+ = !\{i64 (-?\d+), i64 (-?\d+), !"([^"]+)"\}/;
    printf "\t.quad\t%s, %s\n\t.uleb128\t%d\n\t.ascii\t\"%s\"\n", $1, $2, length $3, $3;
}
