// other.js - what is measured
function parse(s) {
    var v = [], at = 0, m, re = /\s*([-+]?\d+\.?\d*)/g;
    while ((m = re.exec(s)) !== null && at++ < 1000) v.push(parseFloat(m[1]));
    return v;
}
function Queue() { this.first = 0; this.v = []; }
Queue.prototype = { push: function (x) { this.v.push(x); }, pop: function () { return this.v[this.first++]; } };
var sum = 0, r, i, j, k, n = 12;
for (r = 0; r < 2; r++) {
    var q = new Queue(), a = [], out = [];
    for (i = 0; i < 1500; i++) { q.push(i); if (i % 3 === 0) sum += q.pop(); }
    for (i = 0; i < n; i++) { a[i] = []; for (k = 0; k < n; k++) a[i][k] = i - k; }
    for (i = 0; i < n; i++) for (k = 0; k < n; k++) for (j = 0; j < n; j++) sum += a[i][j] * a[j][k] % 7;
    for (i = 0; i < 200; i++) out.push("" + i * 1.25);
    parse(out.join(" ")).forEach(function (x) { sum += x; });
}
print(sum);
