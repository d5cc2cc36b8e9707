import { test } from "vitest";
import { closeConstraints, emptyConstraints, tidyConstraints } from "../constraints/index.js";
import { randomFrom } from "../random/index.js";
import { contingency, pairCounts, randIndex, pairwiseF, bestMatching, constrainedRandIndex, scoresOf } from "./index.js";
const time = (name: string, f: () => unknown, runs = 5) => { const ts=[]; for (let i=0;i<runs;i++){const b=performance.now(); f(); ts.push(performance.now()-b);} process.stdout.write(`${name}: first ${ts[0]!.toFixed(1)} best ${Math.min(...ts).toFixed(1)} ms\n`); };
test("t", () => {
  const r = randomFrom(1); const n = 1e6;
  for (const [k, c] of [[10,10],[100,50],[1000,1000],[100000,100000]] as const) {
    const a = Int32Array.from({length:n},()=>r.int(k)), b = Int32Array.from({length:n},()=>r.int(c));
    time(`rand+F ${k}x${c}`, () => { const p = pairCounts(contingency(a,b)); return randIndex(p)+pairwiseF(p).f; });
    time(`scores ${k}x${c}`, () => scoresOf(a,b));
    if (k<=1000) { const t = contingency(a,b); time(`matching ${k}x${c}`, () => bestMatching(t), 2); }
    const ml = { a: Int32Array.from({length:1e5},()=>r.int(n)), b: Int32Array.from({length:1e5},()=>r.int(n)), weight: new Float64Array(1e5).fill(1) };
    const closure = closeConstraints({ ...emptyConstraints(n), mustLinks: ml, cannotLinks: { ...ml, b: ml.a.map((x) => (x * 31 + 7) % n) } });
    time(`cri ${k}`, () => constrainedRandIndex(a,b,closure), 3);
  }
  const chain = Int32Array.from({length:1e5},(_, i)=>i);
  time("chain", () => closeConstraints({ ...emptyConstraints(100001), mustLinks: {a: chain, b: chain.map(i=>i+1), weight: new Float64Array(1e5).fill(1)} }));
  time("group", () => closeConstraints({ ...emptyConstraints(1e5), exclusive: [{column:"c",codes:new Int32Array(1e5),names:["x"]}] }));
  for (const classes of [10, 1e5]) {
    const names = Array.from({length:classes},(_,i)=>`${i}`);
    const labels = { row: Int32Array.from({length:n},(_,i)=>i), code: Int32Array.from({length:n},(_,i)=>(i*7919)%classes), weight: new Float64Array(n).fill(1), names };
    time(`labels ${classes}`, () => closeConstraints({ ...emptyConstraints(n), labels }));
    time(`tidy labels ${classes}`, () => tidyConstraints({ n, labels }), 2);
  }
  time("int 1e7", () => { let s=0; for (let i=0;i<1e7;i++) s+=r.int(1000); return s; }, 2);
  time("normal 1e6", () => { let s=0; for (let i=0;i<1e6;i++) s+=r.normal(); return s; }, 2);
});
