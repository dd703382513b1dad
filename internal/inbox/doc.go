// Package inbox is the terminal inbox without a terminal: what is known ([Model]), what a
// message makes of it ([Model.Update]) and what is to be seen of that ([Model.View]).
//
// It is a function of its messages and of the times that come with them. It neither
// connects nor draws: package feed brings messages and carries effects out, package
// screen draws, and tests do both.
//
// Three rules keep a person from deciding what they did not mean. What is selected is
// selected by its id, so nothing that arrives moves it. A card takes a choice only
// [ArmAfter] it came up, so no key that was meant for another decides it. And a decision
// names the approval and the requirement of the card that was seen, so one that has
// moved on is not decided at all.
package inbox
