#!/usr/bin/env python3
"""stale_corpus.py - makes a corpus for bench_match from two versions of a program

  stale_corpus.py count IN.ll OUT.ll TABLE        every block of IN.ll counts how often it runs; TABLE: what OUT.ll has
  stale_corpus.py pairs OLD.table OLD.counts NEW.table NEW.counts LABEL >CORPUS

IN.ll is what "opt -passes=pseudo-probe -S" wrote. The counters are written to the file $COUNTS when the program exits.
A pair is a function of both versions that ran in both and whose blocks and calls differ. Classes: blocks that dominate and
post-dominate each other in the same loops, exceptions left aside. Names become hashes; where a location came from is not known: origin 0.
"""
import hashlib
import re
import subprocess
import sys

LABEL = re.compile(r'^("[^"]*"|[-\w.$]+):')
PROBE = re.compile(r'call void @llvm\.pseudoprobe\(i64 (-?\d+), i64 (\d+), i32 (\d+),')
CALL = re.compile(r'^\s+(?:%\S+ = )?(?:tail |musttail |notail )?(call|invoke) ')
DEST = re.compile(r'label %("[^"]*"|[-\w.$]+)')


def metadata(lines):
    """id of the probe of each !DILocation, by its number; 0: none"""
    scope, disc = {}, {}
    for s in lines:
        if not s.startswith('!'):
            continue
        m = re.match(r'!(\d+) = (?:distinct )?!DILocation\(.*scope: !(\d+)', s)
        if m:
            scope[m.group(1)] = m.group(2)
        m = re.match(r'!(\d+) = (?:distinct )?!DILexicalBlockFile\(.*discriminator: (\d+)', s)
        if m:
            disc[m.group(1)] = int(m.group(2))
    return {k: disc[v] >> 3 & 0xffff for k, v in scope.items() if disc.get(v, 0) & 7 == 7}


def functions(lines):
    """(name, first line, one past the last)"""
    begin = name = None
    for i, s in enumerate(lines):
        if s.startswith('define '):
            m = re.search(r'@("[^"]*"|[-\w.$]+)\(', s)
            begin, name = i, m.group(1).strip('"')
        elif s.startswith('}') and begin is not None:
            yield name, begin, i
            begin = None


def blocks(lines, begin, end, probe_of):
    """per block: name, line of its probe, probe id, [(call id, callee)], normal successors"""
    out, b = [], None
    for i in range(begin + 1, end):
        s = lines[i]
        m = LABEL.match(s)
        if m or b is None:
            b = dict(name=m.group(1) if m else '%entry', line=None, id=0, calls=[], to=[])
            out.append(b)
            if m:
                continue
        m = PROBE.search(s)
        if m:
            b['line'], b['id'] = i, int(m.group(2))
            continue
        m = CALL.match(s)
        if m:
            text = s + (lines[i + 1] if m.group(1) == 'invoke' else '')
            d = re.search(r'!dbg !(\d+)', text)
            if d and d.group(1) in probe_of and '@llvm.' not in s.split('(')[0]:
                c = re.search(r'@("[^"]*"|[-\w.$]+)\(', s)
                # static functions' names end in a hash of where the source file is
                b['calls'].append((probe_of[d.group(1)], c.group(1).strip('"').split('.__uniq.')[0] if c else '*'))
        if ' unwind label ' in s:
            b['to'] += DEST.findall(s.split(' unwind ')[0])
        else:
            b['to'] += DEST.findall(s)
    return out


def dominators(n, entry, edges):
    """bit set of the dominators of each of n blocks; 0: not reached"""
    before = [[] for _ in range(n)]
    for a in range(n):
        for b in edges[a]:
            before[b].append(a)
    order, seen, stack = [], {entry}, [(entry, iter(edges[entry]))]
    while stack:
        a, it = stack[-1]
        for b in it:
            if b not in seen:
                seen.add(b)
                stack.append((b, iter(edges[b])))
                break
        else:
            order.append(a)
            stack.pop()
    dom = [0] * n
    for a in seen:
        dom[a] = (1 << n) - 1
    dom[entry] = 1 << entry
    changed = True
    while changed:
        changed = False
        for a in reversed(order):
            if a == entry:
                continue
            d = (1 << n) - 1
            for b in before[a]:
                if b in seen:
                    d &= dom[b]
            d |= 1 << a
            if d != dom[a]:
                dom[a], changed = d, True
    return dom


def classes(bl):
    """number of the class of each block"""
    n = len(bl)
    at = {b['name']: i for i, b in enumerate(bl)}
    to = [sorted({at[t] for t in b['to'] if t in at}) for b in bl]
    dom = dominators(n + 1, 0, to + [[]])
    exits = [i for i in range(n) if not to[i]]
    back = [[] for _ in range(n + 1)]
    for a in range(n):
        for b in to[a]:
            back[b].append(a)
    back[n] = exits
    post = dominators(n + 1, n, back)
    loops = [0] * n
    for a in range(n):
        for h in to[a]:
            if dom[a] >> h & 1:                       # a back edge: its loop is what reaches a without passing h
                body, stack = {h, a}, [a] if a != h else []
                while stack:
                    x = stack.pop()
                    for p in back[x]:
                        if p not in body:
                            body.add(p)
                            stack.append(p)
                for x in body:
                    loops[x] |= 1 << h
    number = list(range(n))
    for a in range(n):
        for b in range(a):
            if loops[a] == loops[b] and dom[a] >> b & 1 and post[b] >> a & 1:
                number[a] = number[b]
                break
    return number


def count(src, dst, table):
    lines = open(src).read().split('\n')
    probe_of = metadata(lines)
    n, rows = 0, []
    for name, begin, end in functions(lines):
        bl = blocks(lines, begin, end, probe_of)
        cl = classes(bl)
        tokens = {}
        for b, c in zip(bl, cl):
            if not b['id']:
                continue
            tokens[b['id']] = ('B', n, c)
            for k, callee in b['calls']:
                tokens[k] = ('C' + (callee if callee == '*' else 'f' + hashlib.md5(callee.encode()).hexdigest()[:9]), n, c)
            lines[b['line']] = '  call void @csspgo_count_block(ptr getelementptr (i64, ptr @csspgo_counts, i64 %d))' % n
            n += 1
        if tokens and sorted(tokens) == list(range(1, len(tokens) + 1)):
            rows.append(name + ' ' + ' '.join('%s,%d,%d' % tokens[k] for k in sorted(tokens)))
    with open(dst, 'w') as f:
        for s in lines:
            m = PROBE.search(s)
            if m or s.startswith('declare void @llvm.pseudoprobe'):
                continue
            f.write(s + '\n')
            if s.startswith('target triple'):
                f.write('@csspgo_counts = global [%d x i64] zeroinitializer\n@csspgo_counts_size = global i64 %d\n' % (n, n))
                f.write('define internal void @csspgo_count_block(ptr %p) alwaysinline nounwind {\n'
                        '  %a = load i64, ptr %p\n  %b = add i64 %a, 1\n  store i64 %b, ptr %p\n  ret void\n}\n')
    open(table, 'w').write('\n'.join(rows) + '\n')


def plain_name(name):
    """a demangled name without template arguments and parameters: they change with the release where the code does not"""
    name = re.sub(r'operator(<<|<=|<|>>|>=|->|>|\(\))', lambda m: 'operator%d' % sum(map(ord, m.group(1))), name)
    for brackets in r'<[^<>]*>', r'\([^()]*\)':
        while re.search(brackets, name):
            name = re.sub(brackets, '', name)
    return name.split(' [')[0].replace(' const', '').split(' ')[-1]


def read_table(path, counts):
    """functions that ran and whose plain name no other one has"""
    c = [int(x) for x in open(counts)]
    rows = [s.split() for s in open(path)]
    plain = subprocess.run(['c++filt'], input='\n'.join(r[0] for r in rows), stdout=subprocess.PIPE, text=True).stdout.split('\n')
    out = {}
    for r, name in zip(rows, plain):
        t = [x.rsplit(',', 2) for x in r[1:]]
        t = [(k, c[int(i)], int(e) + 1) for k, i, e in t]
        if t[0][1]:
            out.setdefault(plain_name(name), []).append(t)
    return {k: v[0] for k, v in out.items() if len(v) == 1}


def pairs(old, new, label):
    n = 0
    for name in sorted(old.keys() & new.keys()):
        a, b = old[name], new[name]
        if [x[0][0] for x in a] == [x[0][0] for x in b] or len(a) < 4 or len(b) < 4:
            continue
        n += 1
        print('F %d %s' % (n, label))
        print('1 ' + ' '.join('%s%s%d' % (k, '' if k == 'B' else ',', c) for k, c, e in a))
        print('2 ' + ' '.join('%s%s%d/0/%d' % (k, '' if k == 'B' else ',', c, e) for k, c, e in b))


if sys.argv[1] == 'count':
    count(*sys.argv[2:5])
else:
    pairs(read_table(*sys.argv[2:4]), read_table(*sys.argv[4:6]), sys.argv[6])
