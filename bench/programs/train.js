// train.js - what duktape is profiled with
function words(s) {
    var n = {}, i, w = s.split(" ");
    for (i = 0; i < w.length; i++) n[w[i]] = (n[w[i]] || 0) + 1;
    return n;
}
function Account(v) { this.balance = v; }
Account.prototype.add = function (v) { this.balance += v; };
var text = "it was the best of times it was the worst of times it was the age of wisdom", sum = 0, r, i;
for (r = 0; r < 8000; r++) {
    sum += Object.keys(words(text + " " + r)).sort().join(",").length;
    var a = new Account(r), t = [];
    for (i = 0; i < 200; i++) a.add(i % 7);
    for (i = 0; i < 200; i++) t[i] = (i * 3.5) | 0;
    sum += a.balance + JSON.stringify(t).length;
}
print(sum);
