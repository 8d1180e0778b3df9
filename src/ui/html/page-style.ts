/** The style of a report page. Every pair of text and background has a contrast of at least 4.5:1, light and dark. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--page:#fff;--card:#f6f8fa;--line:#d8dee4;--text:#1c2128;--dim:#57606a;--good:#14692d;--bad:#b3171f;--warn:#7d4e00;--accent:#0a5cc2;--added:#e6f6ea;--removed:#fdecea}
@media (prefers-color-scheme:dark){:root{--page:#0f1318;--card:#171c23;--line:#303842;--text:#e6eaef;--dim:#9ca6b1;--good:#57c46f;--bad:#ff8178;--warn:#e0ab3f;--accent:#6cb0ff;--added:#12291a;--removed:#331718}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
h1{font-size:1.75rem;line-height:1.25;margin:.25rem 0 .5rem;letter-spacing:-.01em;text-wrap:balance}
h2{font-size:1.0625rem;margin:2.25rem 0 .5rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:0;display:flex;flex-wrap:wrap;gap:.25rem .5rem;align-items:baseline}
p{margin:.35rem 0}
ul,ol{list-style:none;margin:0;padding:0}
.dim{color:var(--dim)}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.lines li{padding:.15rem 0;position:relative}
.marked li{padding-left:1.5rem}
.lines li>.mark{position:absolute;left:0;width:1.25rem;text-align:center;font-weight:700}
.lines li.sub{font:.8125em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;color:var(--dim);white-space:pre-wrap}
.tiles{display:grid;grid-template-columns:repeat(6,auto);gap:.625rem;margin:1.25rem 0}
.tiles div{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .75rem;display:flex;flex-direction:column-reverse;justify-content:flex-end}
.tiles dt{color:var(--dim);font-size:.8125rem}
.tiles dd{margin:0;font-size:1.25rem;font-weight:600;line-height:1.3;white-space:nowrap}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}
.facts dt{color:var(--dim)}.facts dd{margin:0}
.next dt code{display:inline-block;background:var(--card);border:1px solid var(--line);border-radius:.375rem;padding:.2rem .5rem}
.next dd{margin:.15rem 0 .75rem;color:var(--dim)}
pre{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem;margin:.5rem 0;overflow-x:auto;tab-size:4;overflow-wrap:normal}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr));gap:1.25rem;margin-top:1.75rem;align-items:end}
figure{margin:0}
figcaption{font-size:.875rem;display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 .75rem;margin-bottom:.35rem}
figcaption span{color:var(--dim)}
svg{display:block;width:100%;height:5rem;border-bottom:1px solid var(--line);fill:var(--accent)}
.iterations>li{padding:.85rem 0;border-bottom:1px solid var(--line)}
.iterations p,.iterations details{margin-left:1.75rem}
.iterations details p{margin-left:0}
.iterations h3 .mark{width:1.25rem;text-align:center}
.iterations .facts-line{color:var(--dim);font-size:.9375rem}
summary{cursor:pointer;color:var(--accent);width:max-content;max-width:100%}
ins,del{text-decoration:none}ins{color:var(--good);background:var(--added)}del{color:var(--bad);background:var(--removed)}
pre i{font-style:normal;color:var(--dim)}
footer{margin-top:3rem;color:var(--dim);font-size:.875rem}
@media (max-width:42rem){.tiles{grid-template-columns:repeat(3,1fr)}}
@media (max-width:30rem){main{padding:1.5rem 1rem 3rem}h1{font-size:1.4375rem}.iterations p,.iterations details{margin-left:0}}
@media print{:root{--page:#fff;--card:#fff;--text:#000;--dim:#444}body{font-size:10.5pt}main{max-width:none;padding:0}pre{white-space:pre-wrap}h2,h3{break-after:avoid}.iterations>li{break-inside:avoid-page}details::details-content{content-visibility:visible;block-size:auto}}
`
