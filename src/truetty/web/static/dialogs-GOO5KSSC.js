import{a,b,c,d,e,f}from"./chunk-E4XNHMGZ.js";import"./chunk-JR3WISOH.js";export{a as ask,c as askPaste,f as download,e as keyList,d as menu,b as showDialog};
