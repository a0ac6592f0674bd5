import{a,b,c,d,e,f}from"./chunk-X6S5OZMO.js";import"./chunk-2NBVXAE5.js";export{a as ask,c as askPaste,f as download,e as keyList,d as menu,b as showDialog};
