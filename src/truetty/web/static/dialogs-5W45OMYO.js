import{a,b,c,d,e,f}from"./chunk-QFOGUZ5W.js";import"./chunk-QSCSIYXN.js";export{a as ask,c as askPaste,f as download,e as keyList,d as menu,b as showDialog};
