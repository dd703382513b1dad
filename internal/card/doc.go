// Package card says what a person is shown of an approval or a prompt, before anybody
// has chosen where: on a terminal, in a browser, in a line of a list. A surface sets
// what is here and adds nothing to it, so that all of them show the same.
//
// There are two kinds of text. A string is this program's own. A [Text] is somebody
// else's, an agent's mostly, made visible: it is one line, and nothing in it is hidden.
package card
