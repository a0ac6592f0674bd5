import{a,b,c,d,e}from"./chunk-OQPPLLUV.js";import"./chunk-JR3WISOH.js";export{a as ask,b as askPaste,e as download,d as keyList,c as menu};
