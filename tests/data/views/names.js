/* Runs in the page of cpp.svg (see views.sh): short names, long addresses, the table of functions. */
(function () {
'use strict';
var svg = document.documentElement, lines = [], at;
function check(name, ok) { lines.push((ok ? 'ok ' : 'not ok ') + name); }
function frames() { return Array.from(svg.querySelectorAll('#frames>g')); }
function title(g) { return g.querySelector('title').textContent.split('\n'); }
function named(text) { return frames().filter(function (g) { return title(g)[0] === text; })[0]; }
function label(g) { return g.querySelector('text') ? g.querySelector('text').textContent : ''; }
function click(e) { e.dispatchEvent(new MouseEvent('click', { bubbles: true })); }
function id(name) { return svg.getElementById(name); }
function wide(g) { return Number(g.querySelector('rect').getAttribute('width')); }
function rows() {
    return Array.from(svg.querySelectorAll('#table .row'), function (r) {
        return Array.from(r.querySelectorAll('text'), function (t) { return t.textContent; });
    });
}
var foo = named('(anonymous namespace)::foo(int)'), deep = frames().filter(function (g) { return title(g)[1].length > 900; })[0];
check('an asked width is of pictures in a page', Math.abs(svg.getBoundingClientRect().width - svg.clientWidth) < 1);
check('no parameters, no unnamed namespace', label(foo) === 'foo');
check('the tooltip has all', title(foo)[0] === '(anonymous namespace)::foo(int)');
at = named('std::vector<int, std::allocator<int>>::size() const');
check('of a narrow frame the last part', label(at) === 'size');
click(at);
check('with room the whole', label(at) === 'std::vector<int, std::allocator<int>>::size');
click(deep);
check('the address of a long context is short', location.hash.length > 6 && location.hash.length < 120);
at = location.hash;
location.hash = '';
window.dispatchEvent(new HashChangeEvent('hashchange'));
check('and away', !deep.querySelector('rect').getAttribute('width').startsWith(String(svg.clientWidth - 20)));
location.hash = at;
window.dispatchEvent(new HashChangeEvent('hashchange'));
check('and leads there', Math.abs(wide(deep) - (svg.clientWidth - 20)) < 0.01);
click(frames()[0]);

check('no table at first', rows().length === 0);
click(id('functions'));
check('the table stands beside the frames', Math.abs(wide(frames()[0]) - (svg.clientWidth - 420)) < 0.01);
check('own samples first', rows()[0].join() === '50.00 %,90.00 %,foo' && rows()[1][2] === 'fact');
check('recursion counts once', rows()[1].join() === '26.00 %,26.00 %,fact');
at = rows().map(function (r) { return parseFloat(r[0]); });
check('in order', at.every(function (n, i) { return i === 0 || n <= at[i - 1]; }));
check('own samples are all samples', Math.abs(at.reduce(function (a, b) { return a + b; }) - 100) < 0.1);
click(svg.querySelectorAll('#table .button')[1]);
check('by total', rows()[0].join() === '0.00 %,98.00 %,main');
click(svg.querySelectorAll('#table .button')[2]);
at = rows().map(function (r) { return r[2]; });
check('by name', at.indexOf('foo') < at.indexOf('main'));
click(svg.querySelectorAll('#table .row')[at.indexOf('foo')]);
check('a click marks the function and only that', foo.classList.contains('hit') && !named('foo(int)').classList.contains('hit'));
check('and its row', svg.querySelector('#table .row.hit text:last-child').textContent === 'foo');
click(svg.querySelectorAll('#table .row')[at.indexOf('foo')]);
check('a second one ends that', svg.querySelectorAll('.hit').length === 0);
window.prompt = function () { return 'fac'; };
window.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }));
check('a search leaves rows that match', rows().length === 1 && rows()[0][2] === 'fact');
window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
check('and its end brings them back', rows().length > 5);
window.dispatchEvent(new KeyboardEvent('keydown', { key: 't', bubbles: true }));
check('t takes the table away', rows().length === 0 && Math.abs(wide(frames()[0]) - (svg.clientWidth - 20)) < 0.01);
at = document.createElementNS(svg.namespaceURI, 'desc');
at.textContent = '\n' + lines.join('\n') + '\n';
svg.appendChild(at);
})();
