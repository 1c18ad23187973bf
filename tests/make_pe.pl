#!/usr/bin/perl
# make_pe.pl DIR: small programs of Windows for the harness of examples/pe.h, byte by byte
use strict;
use warnings;
my $dir = shift or die "make_pe.pl DIR\n";

# program(machine, pdata, sections [name, flags, bytes], symbols [name, value, section, type, class, aux])
sub program {
    my ($machine, $pdata, $sections, $symbols) = @_;
    my ($names, $table, $raw, $at, $address) = ('', '', '', 0x400, 0x1000);
    my $long = sub { my $p = 4 + length $names; $names .= "$_[0]\0"; $p };
    for (@$sections) {
        my ($name, $flags, $bytes) = @$_;
        $name = '/' . $long->($name) if length $name > 8;
        my $padded = (length($bytes) + 0x1ff) & ~0x1ff;
        $table .= pack 'a8VVVVVVvvV', $name, length $bytes, $address, $padded, $at, 0, 0, 0, 0, $flags;
        $raw .= $bytes . "\0" x ($padded - length $bytes);
        $at += $padded;
        $address += 0x1000;
    }
    my $list = '';
    for (@$symbols) {
        my ($name, $value, $section, $type, $class, $aux) = @$_;
        $list .= length $name > 8 ? pack 'VV', 0, $long->($name) : pack 'a8', $name;
        $list .= pack('VvvCC', $value, $section, $type, $class, $aux) . "\0" x (18 * $aux);
    }
    my $optional = pack('vCCVVVVV', 0x20b, 14, 0, 0x200, 0, 0, 0x1000, 0x1000) . pack("Q<VV", 5 << 30, 0x1000, 0x200)
        . pack('v6VVVVvv', 6, 0, 0, 0, 6, 0, 0, $address, 0x400, 0, 3, 0) . pack('Q<4VV', (1 << 20) x 4, 0, 16)
        . pack('V6', (0) x 6) . pack('VV', @$pdata) . pack('V24', (0) x 24);
    my $coff = pack 'vvVVVvv', $machine, scalar @$sections, 0, $at, length($list) / 18, length $optional, 0x22;
    my $file = pack('a2x58V', 'MZ', 64) . "PE\0\0$coff$optional$table";
    return $file . "\0" x (0x400 - length $file) . $raw . $list . pack('V', 4 + length $names) . $names;
}

sub put {
    my ($name, $bytes) = @_;
    open my $f, '>:raw', "$dir/$name" or die "$dir/$name: $!\n";
    print $f $bytes;
    close $f;
}

my ($code, $data, $debug) = (0x60000020, 0x40000040, 0x42000040);
my @symbols = (
    ['.file', 0, 0xfffe, 0, 103, 1], ['main', 0, 1, 0x20, 2, 0], ['.text', 0, 1, 0, 3, 1], ['short_on', 0x10, 1, 0x20, 3, 0],
    ['a_name_that_is_long', 0x20, 1, 0, 2, 0], ['table', 0, 2, 0, 2, 0], ['outside', 0x5000, 1, 0x20, 2, 0], ['_absolute', 7, 0xffff, 0, 2, 0]);
my $text = "\x55\x48\x89\xe5\x90\x5d\xc3" . "\xcc" x 9 . "\x31\xc0\xc3" . "\xcc" x 13 . "\xeb\xfe";
my $functions = pack 'V9', 0x1000, 0x1007, 0, 0x1010, 0x1013, 0, 0x1020, 0x1022, 0;
put 'pe-x86-64', program(0x8664, [0x3000, 36], [['.text', $code, $text], ['.data', $data, 'data'], ['.pdata', $data, $functions],
    ['.debug_info', $debug, "\0" x 16]], \@symbols);
put 'pe-aarch64', program(0xaa64, [0x3000, 24], [['.text', $code, $text], ['.data', $data, 'data'],
    ['.pdata', $data, pack 'V6', 0x1000, 2 << 2 | 1, 0x1010, 0x3014, 0x1020, 0xffff0000]], \@symbols);
put 'pe-short', substr program(0x8664, [0, 0], [['.text', $code, $text]], \@symbols), 0, 0x620;
put 'pe-i386', program(0x14c, [0, 0], [['.text', $code, $text]], []);
put 'pe-dos', pack('a2x58V', 'MZ', 0) . "\0" x 64;
