// What is on each kind of card, in a file of its own: a page on which nobody is needed does without.

export { answerCard, secretCard } from "./answer.ts";
export { approvalCard } from "./approval.ts";
export { handoffCard, requestCard } from "./keyboard_cards.ts";
