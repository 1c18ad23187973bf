/* Runs in the page of cs.svg (see views.sh): uses the flame graph as a reader would and lists what held in a <desc>. */
(function () {
'use strict';
var svg = document.documentElement, lines = [], LEFT = 10, WIDTH;
function frames() { return Array.from(svg.querySelectorAll('#frames>g')); }
function title(g) { return g.querySelector('title').textContent.split('\n'); }
function context(text) { return frames().filter(function (g) { return title(g)[1] === text; })[0]; }
function visible(g) { return getComputedStyle(g).display !== 'none'; }
function box(g) {
    var r = g.querySelector('rect');
    return [Number(r.getAttribute('x')), Number(r.getAttribute('width'))];
}
function right(g) { return box(g)[0] + box(g)[1]; }
function near(a, b) { return Math.abs(a - b) < 0.01; }
function wide(g) { return near(box(g)[0], LEFT) && near(box(g)[1], WIDTH); }
function check(name, ok) { lines.push((ok ? 'ok ' : 'not ok ') + name); }
function click(g) { g.querySelector('rect').dispatchEvent(new MouseEvent('click', { bubbles: true })); }
function key(k, ctrl) {
    var e = new KeyboardEvent('keydown', { key: k, ctrlKey: Boolean(ctrl), bubbles: true, cancelable: true });
    window.dispatchEvent(e);
    return e.defaultPrevented;
}
function picture() {
    return frames().map(function (g) {
        var t = g.querySelector('text');
        return [visible(g), box(g).map(function (v) { return v.toFixed(2); }), t ? t.textContent : ''].join(' ');
    }).join('\n');
}
function text(id) { return svg.getElementById(id).textContent; }
WIDTH = box(frames()[0])[1];
var start = picture(), shown, at, long;
at = svg.getElementById('functions');
at.dispatchEvent(new MouseEvent('click'));
shown = Array.from(svg.querySelectorAll('#table .row>title'), function (t) { return t.textContent; });
check('a row for each function', shown.length === new Set(frames().slice(1).map(function (g) { return title(g)[0]; })).size);
at.dispatchEvent(new MouseEvent('click'));
check('the table leaves no trace', picture() === start);
var main = context('main'), foo = context('main:3 @ foo'), foo5 = context('main:5 @ foo');
var bar = context('main:3 @ foo:2 @ bar');
var name = context('main:9 @ a_function_with_a_name_that_is_longer_than_its_frame.llvm.42');

check('the picture is as wide as the window', near(WIDTH, window.innerWidth - 20) &&
      near(svg.getBoundingClientRect().width, window.innerWidth));
check('every frame shows at first', frames().every(visible));
check('a frame keeps to its caller', box(foo)[0] >= box(main)[0] && right(foo) <= right(main));
check('a long name is cut', name.querySelector('text').textContent.endsWith('\u2026'));
check('a frame of the same function at another site is a frame of its own', foo5 && foo5 !== foo);

click(foo);
check('a click makes the frame as wide as the picture', wide(foo));
check('the address says so', location.hash === '#zoom=' + encodeURIComponent('main:3 @ foo'));
check('its callers too', wide(main) && wide(frames()[0]) && main.classList.contains('above'));
check('what it calls keeps its share', near(box(bar)[1], WIDTH * 50 / 120));
check('the rest is away', !visible(foo5) && !visible(name) && !visible(context('zoo')));
check('stripes of a caller are away', getComputedStyle(main.querySelectorAll('rect')[1]).display === 'none');
click(main);
check('a click on a caller goes back to it', wide(main) && visible(foo5) && !visible(context('zoo')));
check('its stripes are back', getComputedStyle(main.querySelectorAll('rect')[1]).display !== 'none');
check('a name with more room shows more of it', name.querySelector('text').textContent.length > 5);
click(name);
check('a name with enough room shows whole, without the numbers behind it',
      name.querySelector('text').textContent === 'a_function_with_a_name_that_is_longer_than_its_frame');
key('Escape');
check('Esc goes back to all', picture() === start);
check('and out of the address', location.hash === '');
click(bar);
click(frames()[0]);
check('so does a click on the root', picture() === start);

window.prompt = function () { return shown; };
shown = '/^foo$/';
check('Ctrl-F is not the browser\'s', key('f', true));
check('frames that match are marked', foo.classList.contains('hit') && foo5.classList.contains('hit') &&
      context('foo').classList.contains('hit') && !bar.classList.contains('hit') && !main.classList.contains('hit'));
check('the mark shows', getComputedStyle(foo.querySelector('rect')).fill !==
      getComputedStyle(context('main:8 @ link').querySelector('rect')).fill);
check('their share of the samples', text('matched') === 'matched: 32.60 %');
shown = '/foo|bar/';
key('F3');
check('the address has the search', location.hash === '#search=' + encodeURIComponent('/foo|bar/'));
check('a frame above a frame that matches counts once', text('matched') === 'matched: 36.00 %');
shown = 'llvm';
key('f', true);
check('the whole name is searched', name.classList.contains('hit') && text('matched') === 'matched: 4.00 %');
shown = null;
key('f', true);
check('cancelling keeps the search', name.classList.contains('hit'));
shown = '(';
key('f', true);
check('what is no expression is text', text('matched') === 'matched: 0.00 %');
shown = '%';
key('f', true);
check('so is a percent sign, and the address has it', location.hash === '#search=%25' && text('matched') !== '');
shown = '\ud800';
key('f', true);
check('half a character throws nothing', location.hash === '');
shown = '/(/';
key('f', true);
check('what is no regular expression says so', /not a regular/.test(text('matched')));
key('Escape');
check('Esc without zoom ends the search', text('matched') === '' && svg.querySelectorAll('.hit').length === 0);
check('and nothing else changed', picture() === start);

function press(g, k) {
    g.dispatchEvent(new KeyboardEvent('keydown', { key: k, bubbles: true, cancelable: true }));
    return document.activeElement;
}
function address(hash) {
    location.hash = hash;
    window.dispatchEvent(new HashChangeEvent('hashchange'));
}
address('#search=bar&zoom=' + encodeURIComponent('main:3 @ foo'));
check('an address is obeyed', wide(foo) && !visible(foo5) && bar.classList.contains('hit') && text('matched') !== '');
address('#search=%2F(b%3F(a%7Car)%2B)%2B%24%2F');
check('a regular expression of an address does not run', !bar.classList.contains('hit') && /search runs it/.test(text('matched')));
shown = '/bar$/';
key('f', true);
check('one that is typed does', bar.classList.contains('hit'));
address('#zoom=nobody&search=%zz');
check('one that makes no sense is not', picture() === start && text('matched') === '' && location.hash === '');

check('one frame can be tabbed to', svg.querySelectorAll('#frames>g[tabindex="0"]').length === 1 &&
      frames()[0].getAttribute('tabindex') === '0' && frames().every(function (g) { return g.hasAttribute('tabindex'); }));
frames()[0].focus();
frames()[0].dispatchEvent(new FocusEvent('focus'));
check('focus says what the frame is', /all {2}500 samples/.test(text('info')));
shown = press(frames()[0], 'ArrowUp');
check('an arrow goes on to what it calls', frames().indexOf(shown) > 0 && shown.getAttribute('tabindex') === '0');
at = press(shown, 'ArrowLeft');
check('and to its neighbours', at !== shown && press(at, 'ArrowRight') === shown);
check('and back', press(shown, 'ArrowDown') === frames()[0]);
foo.focus();
press(foo, 'Enter');
check('Enter zooms', wide(foo));
press(foo, 'Escape');
check('Escape goes back', picture() === start);
shown = '/^bar$/';
check('/ searches', key('/') && bar.classList.contains('hit'));
key('Escape');
svg.getElementById('search').focus();
press(svg.getElementById('search'), 'Enter');
check('so does the button', bar.classList.contains('hit') &&
      svg.getElementById('search').getAttribute('role') === 'button');
key('Escape');
check('a reader of the screen is told names and shares', frames().every(function (g) {
    return g.getAttribute('role') === 'treeitem' && /, .* samples?, .* %/.test(g.getAttribute('aria-label'));
}) && foo.getAttribute('aria-label').indexOf('foo, 120 samples, 24.00 % of all') === 0 &&
      foo.getAttribute('aria-level') === '3' && svg.querySelector('#frames').getAttribute('role') === 'tree' &&
      svg.getAttribute('aria-labelledby') === 'title subtitle');
frames().forEach(function (g) { g.dispatchEvent(new MouseEvent('mouseenter')); });
check('pointing at a frame says what it is', /sample/.test(text('info')));
check('no code ran from a name', !window.alerted);
check('nothing was asked for', performance.getEntriesByType('resource').length === 0);

at = document.createElementNS(svg.namespaceURI, 'desc');
at.id = 'result';
at.textContent = '\n' + lines.join('\n') + '\nback ' + getComputedStyle(svg.getElementById('back')).fill + '\n';
svg.appendChild(at);
})();
