/* Runs in the page of a differential picture whose address asks for a frame and a search (see views.sh). */
(function () {
'use strict';
var svg = document.documentElement, lines = [], at;
function check(name, ok) { lines.push((ok ? 'ok ' : 'not ok ') + name); }
function frames() { return Array.from(svg.querySelectorAll('#frames>g')); }
function title(g) { return g.querySelector('title').textContent.split('\n'); }
function context(text) { return frames().filter(function (g) { return title(g)[1] === text; })[0]; }
function colour(g) {
    g.classList.remove('hit');
    return getComputedStyle(g.querySelector('rect')).fill.match(/\d+/g).map(Number);
}
var grown = context('main @ grown'), shrunk = context('main @ shrunk'), fresh = context('main @ fresh');
var same = context('main');
check('the address is obeyed when the page opens', svg.querySelectorAll('#frames>g.off').length === 2 &&
      !grown.classList.contains('off') && grown.classList.contains('hit') &&
      Math.abs(Number(grown.querySelector('rect').getAttribute('width')) - (window.innerWidth - 20)) < 0.01);
check('what has grown is red', colour(grown)[0] > colour(grown)[2] + 30);
check('what is new is so, too', colour(fresh)[0] > colour(fresh)[2] + 30 && /not there before/.test(title(fresh)[2]));
check('what has shrunk is blue', colour(shrunk)[2] > colour(shrunk)[0] + 30);
check('what has not is grey', colour(same)[0] === colour(same)[2]);
check('what is gone is told', /20.00 % of the older samples are in stacks that are gone/.test(svg.textContent));
check('the shares are', title(grown)[2] === '60 samples, 60.00 % of all, before 20.00 %, 60.00 % of parent');
at = document.createElementNS(svg.namespaceURI, 'desc');
at.textContent = '\n' + lines.join('\n') + '\n';
svg.appendChild(at);
})();
