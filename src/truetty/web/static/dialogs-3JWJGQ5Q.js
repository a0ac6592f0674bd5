import{a,b,c,d,e,f}from"./chunk-TWAHXBJI.js";import"./chunk-IFOAAA7T.js";export{a as ask,c as askPaste,f as download,e as keyList,d as menu,b as showDialog};
