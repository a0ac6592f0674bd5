import{a,b,c,d,e,f}from"./chunk-BF3EZ5PB.js";import"./chunk-75YXDUZQ.js";export{a as ask,c as askPaste,f as download,e as keyList,d as menu,b as showDialog};
