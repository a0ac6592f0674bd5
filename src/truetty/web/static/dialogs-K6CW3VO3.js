import{a,b,c,d,e,f}from"./chunk-HUL5P7CT.js";import"./chunk-QSCSIYXN.js";export{a as ask,c as askPaste,f as download,e as keyList,d as menu,b as showDialog};
