#!/usr/bin/perl
# json_schema.pl SCHEMA NAME=FILE...: each file is one JSON document that fits the definition NAME of the schema. Knows
# what the schema uses (type, enum, minimum, items, properties, required, additionalProperties, oneOf, $ref), and says
# so if there is anything else. Prints "ok NAME" or "not ok NAME: PLACE: WHY".
use strict;
use warnings;
use JSON::PP;

my $parser = JSON::PP->new->utf8->allow_bignum;
sub document { my ($path) = @_; local $/; open(my $f, '<:raw', $path) or die "$path: $!\n"; return $parser->decode(scalar <$f>) }
my $schema = document(shift @ARGV);
my %known = map { $_ => 1 } qw($ref $schema type enum minimum items properties required additionalProperties oneOf description);

sub type_of {
    my ($v) = @_;
    return 'null' if !defined $v;
    return 'boolean' if JSON::PP::is_bool($v);
    return 'array' if ref $v eq 'ARRAY';
    return 'object' if ref $v eq 'HASH';
    return $v == int($v) ? 'integer' : 'number' if ref $v;      # of Math::BigInt, Math::BigFloat
    my $text = JSON::PP->new->allow_nonref->encode($v);
    return $text =~ /^"/ ? 'string' : $text =~ /^-?\d+$/ ? 'integer' : 'number';
}

# Returns what is wrong, '' if nothing is.
sub check {
    my ($s, $v, $at) = @_;
    for (keys %$s) { return "$at: the checker does not know '$_'" if !$known{$_} }
    if (defined $s->{'$ref'}) {
        my ($name) = $s->{'$ref'} =~ m{^#/definitions/(\w+)$} or return "$at: $s->{'$ref'}";
        my $to = $schema->{definitions}{$name} or return "$at: no definition $name";
        return check($to, $v, $at);
    }
    if ($s->{oneOf}) {
        my @why = map { check($_, $v, $at) } @{$s->{oneOf}};
        return @why - grep({ $_ ne '' } @why) == 1 ? '' : "$at: fits not exactly one: @why";
    }
    my $type = type_of($v);
    if (my $want = $s->{type}) {
        my @want = ref $want ? @$want : ($want);
        return "$at: $type, not @want" if !grep { $_ eq $type || ($_ eq 'number' && $type eq 'integer') } @want;
    }
    return "$at: none of the words" if $s->{enum} && !grep { $_ eq $v } @{$s->{enum}};
    return "$at: too small" if defined $s->{minimum} && $v < $s->{minimum};
    if ($type eq 'array' && $s->{items}) {
        for my $i (0 .. $#$v) { my $why = check($s->{items}, $v->[$i], "$at\[$i]"); return $why if $why ne '' }
    }
    if ($type eq 'object') {
        for (@{$s->{required} || []}) { return "$at: no '$_'" if !exists $v->{$_} }
        for my $key (sort keys %$v) {
            my $member = ($s->{properties} || {})->{$key};
            $member = $s->{additionalProperties} if !defined $member;
            return "$at: unexpected '$key'" if defined $member && !ref($member) || JSON::PP::is_bool($member) && !$member;
            next if !defined $member;
            my $why = check($member, $v->{$key}, "$at.$key");
            return $why if $why ne '';
        }
    }
    return '';
}

for (@ARGV) {
    my ($name, $path) = split /=/, $_, 2;
    my $why = eval { check({ '$ref' => "#/definitions/" . ($name =~ s/\..*//r) }, document($path), '') };
    $why = $@ if !defined $why;
    $why =~ s/\s+/ /g;
    print $why eq '' ? "ok $name\n" : "not ok $name: " . substr($why, 0, 300) . "\n";
}
